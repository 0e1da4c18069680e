// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The tests that {@link InfiniBandTest} runs. This JVM has the port with LID 2, and the C tools have the port with LID
 * 1.
 */
class EncountersOnInfiniBand {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private static final Encounter.Network NETWORK = new Encounter.Network() {
        private static int lid(Peer server) {
            return server == Peer.JAVA ? StandInAdapter.OWN : StandInAdapter.OTHER;
        }

        @Override
        public String addressOf(Peer server) {
            return "10.77.0." + lid(server);
        }

        /** Tools listen in the port space TCP first, whatever they measure. */
        @Override
        public boolean listens(Peer server, int port) {
            String file = "%d.listens.106.%d".formatted(lid(server), port);
            return Files.exists(Path.of(System.getenv("RDMA4J_MLX5_FABRIC"), file));
        }
    };

    @ParameterizedTest
    @CsvSource({
        "ib_write_lat, -n 50",
        "ib_send_bw, -n 50 -s 4096",
        "ib_read_lat, -n 50 -x 0",
        "ib_send_lat, -n 50 -c UD",
        "ib_write_bw, -n 50 -c UC -S 3",
        "ib_atomic_bw, -n 50",
        "ib_write_lat, -n 50 -R",
        "ib_send_lat, -n 50 -c UD -R",
        "ib_read_lat, -n 50 -z",
    })
    void bothRolesWork(String tool, String options) throws Exception {
        for (Peer server : List.of(Peer.C_INSTALLED, Peer.JAVA)) {
            Peer client = server == Peer.JAVA ? Peer.C_INSTALLED : Peer.JAVA;
            Encounter encounter =
                    Encounter.of(tool, options, server, client, LIMIT, StandInAdapter.otherPort(), NETWORK);
            assertThat(encounter.passed()).as(encounter.toString()).isTrue();
            String java = server == Peer.JAVA ? encounter.serverOutput() : encounter.clientOutput();
            assertThat(java)
                    .containsPattern("Link type +: IB")
                    .containsPattern("local address: LID 0x02 ")
                    .containsPattern("remote address: LID 0x01 ");
            assertThat(java.contains("GID:")).isEqualTo(options.contains("-x"));
        }
    }

    /** As QEMU's pvrdma does; without lists and with them. The server waits for every message. */
    @ParameterizedTest
    @ValueSource(strings = {"-n 1000 -t 64 -Q 16", "-n 1000 -t 16 -l 4 -q 2"})
    void completionsThatNobodyAskedForAreIgnored(String options) throws Throwable {
        set("RDMA4J_MLX5_COMPLETES_ALL", "1");
        try {
            Encounter encounter = Encounter.of(
                    "ib_send_bw", options, Peer.C_INSTALLED, Peer.JAVA, LIMIT, StandInAdapter.otherPort(), NETWORK);
            assertThat(encounter.passed()).as(encounter.toString()).isTrue();
        } finally {
            set("RDMA4J_MLX5_COMPLETES_ALL", "0");
        }
    }

    /** Checks the tool's message for a port whose subnet manager does not answer. */
    @ParameterizedTest
    @ValueSource(strings = {"-z", "-R"})
    void subnetManagerThatDoesNotAnswerIsNamed(String option) throws Throwable {
        set("RDMA4J_MLX5_SUBNET_MANAGER", "0");
        try (Side client = new JavaSide(
                List.of(Peer.JAVA.command("ib_write_lat"), "--timeout=1", option, "10.77.0." + StandInAdapter.OWN))) {
            assertThat(client.await(LIMIT)).isEqualTo(1);
            assertThat(client.output())
                    .contains("the subnet administrator did not answer", "subnet manager must run")
                    .doesNotContain("start the server side first", "has no device");
        } finally {
            set("RDMA4J_MLX5_SUBNET_MANAGER", "1");
        }
    }

    /** In the environment of C, which this process's seeming kernel reads. */
    private static void set(String name, String value) throws Throwable {
        Linker linker = Linker.nativeLinker();
        MethodHandle setenv = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("setenv"),
                FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
        try (Arena arena = Arena.ofConfined()) {
            assertThat((int) setenv.invokeExact(arena.allocateFrom(name), arena.allocateFrom(value), 1))
                    .isZero();
        }
    }
}
