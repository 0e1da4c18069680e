// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.ChildJvm;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.TestDescriptor;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpHandshake;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server over TCP in a process that has no file descriptor left for the client that waits. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServerWithoutDescriptorsTest {
    /** A server that retried at once would do so about ten thousand times in the second of this test. */
    private static final int MOST = 4;

    /** A way in which a program accepts clients. */
    private interface Taking {
        /** Null if there is none now. */
        Endpoint next();
    }

    /** Prints for each number of free descriptors how often the server failed, and whether the client came at last. */
    static final class Server {
        private static final long PLAYED = TimeUnit.SECONDS.toNanos(1);
        private static final Duration LITTLE = Duration.ofMillis(50);

        public static void main(String[] arguments) throws Exception {
            ChildJvm.loadClasses();
            long self = ProcessHandle.current().pid();
            new ProcessBuilder("prlimit", "--pid=" + self, "--nofile=512:512")
                    .start()
                    .waitFor();
            try (EndpointServer server = EndpointServer.bind(
                            TcpPair.ANY_PORT,
                            config -> config.transport(Transport.TCP).receiveBuffers(2));
                    EndpointServer selected = EndpointServer.bind(
                            TcpPair.ANY_PORT,
                            config -> config.transport(Transport.TCP).receiveBuffers(2));
                    EndpointSelector selector = EndpointSelector.open(Duration.ZERO)) {
                AtomicReference<Endpoint> accepted = new AtomicReference<>();
                selector.add(selected, one -> one.accept(Duration.ZERO).ifPresent(accepted::set));
                Taking byAccept = () -> server.accept(LITTLE).orElse(null);
                Taking bySelector = () -> {
                    selector.select(LITTLE);
                    return accepted.getAndSet(null);
                };
                for (int free = 0; free < 2; free++) {
                    System.out.println(play(server, byAccept, free));
                    System.out.println(play(selected, bySelector, free));
                }
            }
        }

        private static String play(EndpointServer server, Taking taking, int free) throws Exception {
            try (Socket client =
                    new Socket(server.address().getAddress(), server.address().getPort())) {
                client.getOutputStream()
                        .write(Arrays.copyOf(
                                TestSettings.of(config -> {}).hello().toBytes(), TcpHandshake.BYTES));
                List<TestDescriptor> all = takeAllDescriptors();
                for (int i = 0; i < free; i++) {
                    all.removeLast().close();
                }
                int failures = 0;
                String last = "";
                boolean early = false;
                long start = System.nanoTime();
                while (System.nanoTime() - start < PLAYED) {
                    try {
                        early |= taking.next() != null;
                    } catch (VerbsException e) {
                        failures++;
                        last = e.getMessage();
                    }
                }
                all.forEach(TestDescriptor::close);
                Endpoint endpoint = null;
                while (endpoint == null && System.nanoTime() - start < 20 * PLAYED) {
                    endpoint = taking.next();
                }
                int answered = endpoint == null ? -1 : client.getInputStream().readNBytes(TcpHandshake.BYTES).length;
                if (endpoint != null) {
                    endpoint.abort();
                }
                return "%d %b %b %s".formatted(failures, early, answered == TcpHandshake.BYTES, last);
            }
        }

        private static List<TestDescriptor> takeAllDescriptors() {
            List<TestDescriptor> all = new ArrayList<>();
            try {
                while (true) {
                    all.add(new TestDescriptor());
                }
            } catch (VerbsException e) {
                return all;
            }
        }
    }

    @Test
    void clientWaitsAndTheServerTriesAgainAfterAPause() throws Exception {
        List<String> lines = ChildJvm.run(Server.class);
        assertThat(lines.subList(lines.size() - 4, lines.size())).allSatisfy(line -> {
            String[] words = line.split(" ", 4);
            assertThat(Integer.parseInt(words[0])).as(line).isBetween(1, MOST);
            assertThat(words[1]).as("without descriptors: " + line).isEqualTo("false");
            assertThat(words[2])
                    .as("the client was answered in the end: " + line)
                    .isEqualTo("true");
            assertThat(words[3]).contains("EMFILE", "ulimit -n", "waits");
        });
    }
}
