// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.NotFoundException;
import io.github.rdma4j.verbs.testing.SoftRoceContainer;
import java.util.concurrent.TimeUnit;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.utility.DockerImageName;

/** The Docker engine: whether there is one, and what to do when there is none. */
public final class Docker {
    // Docker 20.10.
    private static final String LOWEST_API = "1.41";

    private static final String REMEDY = """
        Install and start Docker (Debian, Ubuntu: apt-get install docker.io), be allowed to use it (member of the group docker), or set DOCKER_HOST;
        or run the build in a guest, without Docker: 'scripts/softroce --accel uml mvn -o verify' with that script of rdma4j;
        or run these tests on a machine with an RDMA device; or run without them: -Drdma4j.softroce=skip or RDMA4J_SOFTROCE=skip.\
        """;

    private static final String BUILD = "Build it with scripts/softroce image of rdma4j, or name another: for @SoftRoce"
            + " by -Drdma4j.softroce.image=NAME, else by new SoftRoceContainer(NAME).";

    private Docker() {}

    /** Whether an engine answers. Takes a second when it is asked first. */
    static boolean isAvailable() {
        return DockerClientFactory.instance().isDockerAvailable();
    }

    /** Whether the engine is this machine's, by its address. */
    public static boolean isLocal() {
        String scheme = DockerClientFactory.instance()
                .getTransportConfig()
                .getDockerHost()
                .getScheme();
        return "unix".equals(scheme) || "npipe".equals(scheme);
    }

    /** What the engine calls itself, for messages. */
    static String name() {
        return "Docker " + DockerClientFactory.instance().getInfo().getServerVersion();
    }

    /** @throws IllegalStateException if no engine answers, or one that is too old */
    public static void check() {
        DockerClient client;
        try {
            client = DockerClientFactory.instance().client();
        } catch (RuntimeException e) {
            throw new IllegalStateException(
                    "no Docker engine answers: " + text(e) + System.lineSeparator() + REMEDY, e);
        }
        String api;
        try {
            api = client.versionCmd().exec().getApiVersion();
        } catch (RuntimeException e) {
            throw new IllegalStateException(
                    "the Docker engine has stopped answering: " + text(e) + System.lineSeparator() + REMEDY, e);
        }
        if (isTooOld(api)) {
            throw new IllegalStateException("the Docker engine is too old: its API is " + api + ", " + LOWEST_API
                    + " is needed. Install Docker 20.10 or later.");
        }
    }

    static boolean isTooOld(String api) {
        String[] parts = api.split("\\.");
        String[] lowest = LOWEST_API.split("\\.");
        int major = Integer.compare(Integer.parseInt(parts[0]), Integer.parseInt(lowest[0]));
        return major < 0 || major == 0 && Integer.parseInt(parts[1]) < Integer.parseInt(lowest[1]);
    }

    /** Whether the engine has an image; false when it would have to be pulled. */
    static boolean hasImage(DockerClient engine, String image) {
        try {
            engine.inspectImageCmd(image).exec();
            return true;
        } catch (NotFoundException e) {
            return false;
        }
    }

    /**
     * Pulls an image that the engine does not have. Testcontainers would also pull it, but retries for two minutes if
     * there is no such image. The image of rdma4j is never pulled: it is in no registry, and whoever published one of
     * that name there would run in the project's folder.
     *
     * @throws IllegalStateException if the image cannot be pulled, with the cause and the remedy
     */
    public static void pullIfMissing(DockerClient engine, String image) {
        if (hasImage(engine, image)) {
            return;
        }
        if (repository(image).equals(repository(SoftRoceContainer.IMAGE))) {
            throw new IllegalStateException("the container of " + image + " did not start: the Docker engine does not"
                    + " have the image, which is in no registry." + System.lineSeparator() + BUILD);
        }
        boolean pulled;
        try {
            pulled = engine.pullImageCmd(image).start().awaitCompletion(10, TimeUnit.MINUTES);
        } catch (RuntimeException e) {
            throw notStarted(engine, image, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the image " + image + " was pulled", e);
        }
        if (!pulled || !hasImage(engine, image)) {
            throw notStarted(engine, image, new IllegalStateException("it was not pulled within ten minutes"));
        }
    }

    private static String repository(String image) {
        return DockerImageName.parse(image).getUnversionedPart();
    }

    /** What is thrown when a container of the image does not start. */
    public static IllegalStateException notStarted(DockerClient engine, String image, RuntimeException cause) {
        String all = text(cause);
        String remedy;
        if (all.contains("no space left")) {
            remedy = "The disk of the Docker engine is full. Run docker system prune.";
        } else if (lacksImage(engine, image)) {
            remedy = "The engine does not have the image and cannot pull it. " + BUILD;
        } else {
            remedy = "See what this says: docker run --rm " + image + " true";
        }
        return new IllegalStateException(
                "the container of " + image + " did not start: " + all + System.lineSeparator() + remedy, cause);
    }

    // An engine that no longer answers may have it.
    private static boolean lacksImage(DockerClient engine, String image) {
        try {
            return !hasImage(engine, image);
        } catch (RuntimeException e) {
            return false;
        }
    }

    // The messages of an exception and all its causes: the last one usually says what is wrong.
    private static String text(Throwable exception) {
        StringBuilder text = new StringBuilder();
        for (Throwable cause = exception; cause != null; cause = cause.getCause()) {
            String message = cause.getMessage() == null
                    ? cause.getClass().getSimpleName()
                    : cause.getMessage().strip();
            if (text.indexOf(message) < 0) {
                text.append(text.isEmpty() ? "" : ": ").append(message);
            }
        }
        return text.toString();
    }
}
