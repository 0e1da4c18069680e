// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.platform.engine.ConfigurationParameters;
import org.junit.platform.engine.EngineExecutionListener;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;

/** Runs the tests of one class in a guest, and reports what happens there as if it happened here. */
final class RemoteClass {
    // An emulated guest takes some 20 s on an idle machine, and several times that beside others: a hang is longer.
    static final Duration GUEST_START = Duration.ofMinutes(5);
    // For the guest's start and the JVM's, beyond what a test may take.
    private static final long START_SECONDS = GUEST_START.toSeconds() + 180;
    private static final int KEPT_OUTPUT = 4000;
    // This machine's guests: the container has its own kernel, and cannot see this machine's.
    private static final Set<String> ABOUT_GUESTS = Set.of("RDMA4J_CACHE", "RDMA4J_GUEST", "RDMA4J_KERNEL");

    private final TestDescriptor testClass;
    private final Set<UniqueId> selected;
    private final ConfigurationParameters configuration;
    private final Mirror mirror;
    private final StringBuilder lastOutput = new StringBuilder();
    private boolean done;
    private String stuck;

    RemoteClass(
            TestDescriptor testClass,
            Set<UniqueId> selected,
            ConfigurationParameters configuration,
            EngineExecutionListener listener) {
        this.testClass = testClass;
        this.selected = selected;
        this.configuration = configuration;
        this.mirror = new Mirror(testClass, listener);
    }

    /** Returns the result of JUnit's engine there. */
    TestExecutionResult run() {
        try {
            runInContainer();
        } catch (InterruptedException e) {
            TestContainer.discard();
            mirror.broken(new IllegalStateException("interrupted while the tests ran in the container", e));
            Thread.currentThread().interrupt();
        } catch (RuntimeException | IOException e) {
            // The JVM there may go on, beside the next class.
            TestContainer.discard();
            mirror.broken(e);
        }
        return mirror.engine();
    }

    private void runInContainer() throws InterruptedException, IOException {
        TestContainer container = TestContainer.get();
        byte[] random = new byte[12];
        new SecureRandom().nextBytes(random);
        Request request = new Request(
                HexFormat.of().formatHex(random),
                ids(),
                configuration(),
                Settings.testTimeout().toSeconds());
        List<String> options = new ArrayList<>(
                JvmOptions.of(ManagementFactory.getRuntimeMXBean().getInputArguments(), System.getProperties()));
        options.addAll(Settings.jvm());
        EventStream events = new EventStream(request.token(), this::take, bytes -> replay(System.out, bytes, true));
        long silence = Settings.testTimeout().toSeconds() + START_SECONDS;
        try (RemoteJvm jvm = container.start(request, options, environment(System.getenv()))) {
            while (true) {
                RemoteJvm.Chunk chunk = jvm.next(silence);
                if (chunk == null) {
                    TestContainer.discard();
                    mirror.broken(new IllegalStateException(
                            "the container sent nothing for " + silence + " s; it was removed" + lastOutput()));
                    return;
                }
                if (chunk.failure() != null) {
                    throw new IllegalStateException(
                            "Docker's answers from the container have broken off: " + chunk.failure()
                                    + "; the container was removed" + lastOutput(),
                            chunk.failure());
                }
                if (chunk.bytes() == null) {
                    break;
                }
                if (chunk.error()) {
                    replay(System.err, chunk.bytes(), true);
                } else {
                    events.accept(chunk.bytes());
                }
            }
            events.end();
            if (!done) {
                mirror.broken(new IllegalStateException(reason(jvm.status()) + lastOutput()));
            }
        }
    }

    private void take(Event event) {
        switch (event) {
            case Event.Output output -> replay(output.error() ? System.err : System.out, output.bytes(), false);
            case Event.Stuck hang ->
                stuck = "it did not end within " + hang.seconds()
                        + " s, the limit for a test (rdma4j.softroce.testTimeout), and its JVM was ended; the"
                        + " threads:\n"
                        + hang.threads();
            case Event.Done end -> done = true;
            default -> mirror.take(event);
        }
    }

    private void replay(PrintStream to, byte[] bytes, boolean keep) {
        to.write(bytes, 0, bytes.length);
        to.flush();
        if (keep) {
            lastOutput.append(new String(bytes, StandardCharsets.UTF_8));
            lastOutput.delete(0, Math.max(0, lastOutput.length() - KEPT_OUTPUT));
        }
    }

    private String reason(long status) {
        if (stuck != null) {
            return stuck;
        }
        return switch ((int) status) {
            case 124 ->
                "the time limit of the class, " + Settings.classTimeout().toSeconds()
                        + " s, is over (rdma4j.softroce.classTimeout)";
            case 125 -> "the microVM in the container failed";
            default -> "the JVM of the tests in the container ended with status " + status + " before the tests had";
        };
    }

    private String lastOutput() {
        return lastOutput.isEmpty() ? "" : "; the last that it wrote:\n" + lastOutput;
    }

    // What is left of the tests after the filters, by JUnit Jupiter's ids.
    private List<String> ids() {
        List<String> ids = new ArrayList<>();
        testClass.accept(node -> {
            if (node.getChildren().isEmpty()) {
                UniqueId id = Ids.jupiters(node.getUniqueId());
                List<String> parts = selected.stream()
                        .filter(part -> part.hasPrefix(id) && !part.equals(id))
                        .map(UniqueId::toString)
                        .toList();
                if (parts.isEmpty() || selected.contains(id)) {
                    ids.add(id.toString());
                } else {
                    ids.addAll(parts);
                }
            }
        });
        return ids;
    }

    private Map<String, String> configuration() {
        Map<String, String> values = new TreeMap<>();
        for (String key : configuration.keySet()) {
            // Output is captured where it is replayed.
            if (!key.startsWith("junit.platform.output.capture.")) {
                configuration.get(key).ifPresent(value -> values.put(key, value));
            }
        }
        return values;
    }

    static List<String> environment(Map<String, String> variables) {
        List<String> environment = new ArrayList<>();
        List<String> named = Settings.environment();
        variables.forEach((name, value) -> {
            boolean ours =
                    name.startsWith("RDMA4J_") && !name.startsWith("RDMA4J_SOFTROCE") && !ABOUT_GUESTS.contains(name);
            if (ours || named.contains(name)) {
                environment.add(name + "=" + value);
            }
        });
        return environment;
    }
}
