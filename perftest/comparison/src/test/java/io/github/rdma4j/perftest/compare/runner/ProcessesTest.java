// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.environment.JavaCommand;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.options.Tool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The JVM beside this one and the C processes, with programs that need no device. */
@Timeout(600)
class ProcessesTest {
    private static final Duration LIMIT = Duration.ofSeconds(120);

    /** A device that no machine has. */
    private static final RunOrder IMPOSSIBLE = new RunOrder(
            Tool.WRITE_BANDWIDTH,
            2,
            5,
            "no-such-device",
            1,
            -1,
            0,
            null,
            1,
            0,
            0,
            ListeningPorts.free(),
            120,
            true,
            false,
            List.of());

    @TempDir
    private Path folder;

    private final ChildProcesses children = new ChildProcesses();

    @AfterEach
    void close() {
        children.close();
    }

    private CRunner fakeTool(String script, JavaServer guard) throws IOException {
        Path file = folder.resolve("ib_write_bw");
        Files.writeString(file, "#!/bin/sh\n" + script);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        CTools tools = CTools.find(List.of(Tool.WRITE_BANDWIDTH), List.of(folder));
        LocalServers servers = new LocalServers(guard, tools, null, null, children, guard);
        return new CRunner(tools, new CClient(servers, children, guard));
    }

    @Test
    void failureOfServerIsReported() {
        try (JavaServer server = JavaServer.start(children, LIMIT)) {
            assertThatThrownBy(() -> new JavaRunner(new LocalServers(server, null, null, null, children, server))
                            .run(IMPOSSIBLE))
                    .isInstanceOf(CompareException.class)
                    .hasMessageStartingWith("the Java server: ");
        }
    }

    @Test
    void serverEndsWithItsOrdersAndTakesWhatItGuardsAlong() throws Exception {
        Process sleeping = children.start(new ProcessBuilder("sleep", "1000"));
        Process released = children.start(new ProcessBuilder("sleep", "1000"));
        JavaServer server = JavaServer.start(children, LIMIT);
        server.guard(sleeping.pid());
        server.guard(released.pid());
        server.release(released.pid());

        server.close();

        assertThat(sleeping.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(released.isAlive()).isTrue();
    }

    @Test
    void childIsKilledAtTheEnd() throws Exception {
        Process sleeping = children.start(new ProcessBuilder("sleep", "1000"));

        children.close();

        assertThat(sleeping.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() ->
                        children.start(new ProcessBuilder(folder.resolve("none").toString())))
                .isInstanceOf(CompareException.class);
    }

    /** Comes to its first process when a signal ends its JVM already. */
    static final class Late {
        private Late() {}

        public static void main(String[] arguments) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                Process sleeping = new ChildProcesses().start(new ProcessBuilder("sleep", "1000"));
                System.out.println("alive: " + sleeping.isAlive());
            }));
            System.exit(3);
        }
    }

    @Test
    void processStartedDuringShutdownIsKilled() throws Exception {
        Process late = children.start(new ProcessBuilder(JavaCommand.of(Late.class)).redirectErrorStream(true));
        String output = new String(late.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(output).isEqualToIgnoringNewLines("alive: false");
    }

    @Test
    void cToolThatFailsIsQuoted() throws IOException {
        try (JavaServer server = JavaServer.start(children, LIMIT)) {
            assertThatThrownBy(() -> fakeTool("echo banner; echo ' Unable to init'; exit 3\n", server)
                            .run(IMPOSSIBLE))
                    .isInstanceOf(CompareException.class)
                    .hasMessage("C's ib_write_bw (server) ended with status 3: banner / Unable to init");
        }
    }

    @Test
    void cToolThatHangsIsKilled() throws IOException {
        RunOrder hasty = RunOrder.decode(IMPOSSIBLE.encode().replace("timeoutSeconds=120", "timeoutSeconds=1"));
        try (JavaServer server = JavaServer.start(children, LIMIT)) {
            assertThatThrownBy(() -> fakeTool("exec sleep 1000\n", server).run(hasty))
                    .isInstanceOf(CompareException.class)
                    .hasMessageContaining("does not listen on port");
        }
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .isEmpty();
    }
}
