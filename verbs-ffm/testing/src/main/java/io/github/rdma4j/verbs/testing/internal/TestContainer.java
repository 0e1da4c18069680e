// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import com.github.dockerjava.api.command.ExecCreateCmdResponse;
import io.github.rdma4j.verbs.testing.SoftRoceContainer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.MountableFile;

/**
 * The container in which this JVM's {@code @SoftRoce} classes run: started by the first, and used by all, until this
 * JVM ends.
 */
final class TestContainer extends SoftRoceContainer {
    private static final String COPIES = "/opt/tests/";

    private static TestContainer shared;
    private static RuntimeException refused;

    private final List<String> classPath = new ArrayList<>();
    private Path folder = Path.of("/work");

    private TestContainer() {
        super(Settings.image());
        Settings.cpus().ifPresent(this::withCpus);
        Settings.memory().ifPresent(this::withMemory);
        withBootTimeout(RemoteClass.GUEST_START);
        withTimeout(Settings.classTimeout());
    }

    /** @throws RuntimeException if it cannot be started; the next caller gets the same one, without another try */
    static synchronized TestContainer get() {
        if (refused != null) {
            throw refused;
        }
        if (shared == null) {
            try {
                shared = started();
            } catch (RuntimeException failure) {
                refused = failure;
                throw failure;
            }
        }
        return shared;
    }

    /** Removes the container with all that still runs in it, if Docker still answers; the next class starts another. */
    static synchronized void discard() {
        TestContainer container = shared;
        shared = null;
        if (container != null) {
            try {
                container.stop();
            } catch (RuntimeException e) {
                // The caller discards it after a failure, and reports that failure.
            }
        }
    }

    private static TestContainer started() {
        String transfer = Settings.transfer();
        if (transfer.equals("copy")) {
            return startedWithCopies();
        }
        Docker.check();
        TestContainer container = new TestContainer();
        container.bindClassPath();
        try {
            container.start();
            if (container.seesClassPath()) {
                return container;
            }
            container.stop();
        } catch (RuntimeException failure) {
            container.stop();
            // An engine elsewhere may refuse a folder that it does not have.
            if (transfer.equals("bind") || !Docker.hasImage(container.getDockerClient(), Settings.image())) {
                throw failure;
            }
        }
        if (transfer.equals("bind")) {
            throw new IllegalStateException(
                    "the Docker engine does not see this machine's files, and rdma4j.softroce.transfer is bind."
                            + " Leave it out; the class path is copied then.");
        }
        return startedWithCopies();
    }

    private static TestContainer startedWithCopies() {
        TestContainer container = new TestContainer();
        int number = 0;
        for (Path entry : ClassPath.ofThisJvm()) {
            String copy = COPIES + number++ + "-" + entry.getFileName();
            container.withCopyFileToContainer(MountableFile.forHostPath(entry), copy);
            container.classPath.add(copy);
        }
        try {
            container.start();
        } catch (RuntimeException failure) {
            container.stop();
            throw failure;
        }
        return container;
    }

    // Under their own names, so that paths in messages and in the tests mean the same.
    private void bindClassPath() {
        Path current = Project.current();
        Path project = Project.folder(current, Path.of(System.getProperty("user.home")))
                .orElse(null);
        if (project != null) {
            withProject(project);
            folder = current;
        }
        for (Path entry : ClassPath.ofThisJvm()) {
            if (project == null || !entry.startsWith(project)) {
                withReadable(entry);
            }
            classPath.add(entry.toString());
        }
    }

    // An engine that is not this machine's makes empty folders of the names that it does not know.
    private boolean seesClassPath() {
        List<String> command = new ArrayList<>(List.of(
                "sh",
                "-c",
                "for f; do if [ \"$1\" = f ]; then [ -f \"$2\" ] || exit 1; else [ -e \"$2/$1\" ] || exit 1; fi; shift"
                        + " 2; [ $# -gt 0 ] || exit 0; done",
                "-"));
        for (String entry : classPath) {
            Path path = Path.of(entry);
            if (Files.isRegularFile(path)) {
                command.add("f");
                command.add(entry);
            } else {
                String[] names = path.toFile().list();
                if (names != null && names.length > 0) {
                    command.add(names[0]);
                    command.add(entry);
                }
            }
        }
        try {
            return execInContainer(command.toArray(String[]::new)).getExitCode() == 0;
        } catch (IOException e) {
            throw new IllegalStateException("Docker cannot run anything in the container: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the container was started", e);
        }
    }

    /** Starts a JVM in a guest that runs the tests of a request. */
    RemoteJvm start(Request request, List<String> jvmOptions, List<String> environment) {
        String file = "/tmp/rdma4j-" + request.token();
        List<String> arguments = new ArrayList<>(jvmOptions);
        arguments.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-D" + Worker.MARK + "=true",
                "-cp",
                String.join(":", classPath),
                Worker.class.getName(),
                file + ".request"));
        String lines =
                String.join("\n", arguments.stream().map(JvmOptions::quote).toList()) + "\n";
        copyFileToContainer(Transferable.of(EventStream.serialise(request)), file + ".request");
        copyFileToContainer(Transferable.of(lines.getBytes(StandardCharsets.UTF_8)), file + ".arguments");
        List<String> command = commandLine(List.of("java", "@" + file + ".arguments"));
        // Tests are short: a JVM that compiles fast is done first, where the processor is emulated.
        command.addAll(command.indexOf("--"), List.of("--jvm-mode", "start"));
        ExecCreateCmdResponse exec = getDockerClient()
                .execCreateCmd(getContainerId())
                .withAttachStdout(true)
                .withAttachStderr(true)
                .withWorkingDir(folder.toString())
                .withEnv(environment)
                .withCmd(command.toArray(String[]::new))
                .exec();
        return new RemoteJvm(getDockerClient(), exec.getId());
    }
}
