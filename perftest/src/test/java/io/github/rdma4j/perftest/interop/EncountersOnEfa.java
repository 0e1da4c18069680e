// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rdma4j.perftest.Main;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.device.EfaCapability;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@link ElasticFabricTest} runs: this JVM is one port, and a C tool or another JVM the other. */
class EncountersOnEfa {
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final String SRD = "-c SRD -x 0 ";

    /** Bits 0 to 5 of {@code EFA_QUERY_DEVICE_CAPS_…}. */
    private static final int ALL_WITHOUT_UNSOLICITED = (1 << 6) - 1;

    private static boolean writes() {
        try (DeviceContext context = DeviceContext.open("efa_0")) {
            return context.queryEfa().capabilities().contains(EfaCapability.RDMA_WRITE);
        }
    }

    /** A command for a tool of ours in a JVM of its own, on the other port. */
    private static List<String> otherJvm() {
        List<String> command = new ArrayList<>(StandInAdapter.otherPort());
        command.addAll(List.of("sh", "-c", "exec \"$@\" --no-warm-up", "sh"));
        command.addAll(StandInAdapter.java());
        command.add(Main.class.getName());
        return command;
    }

    private static Encounter meet(String tool, String options, Peer server, Peer client, List<String> other)
            throws Exception {
        return Encounter.of(tool, SRD + options, server, client, LIMIT, other, Encounter.Network.OF_THIS_MACHINE);
    }

    /** Whether C's tool takes the option: only then does it go on to its help, which does not list all of the types. */
    private static boolean hasSrd(String tool) throws InterruptedException {
        try (Side help = new ProcessSide(List.of(tool, "-c", "SRD", "--help"))) {
            help.await(LIMIT);
            return help.output().contains("--connection");
        } catch (IOException _) {
            return false;
        }
    }

    /** In both roles; the other side then is a C tool. */
    @ParameterizedTest
    @CsvSource({
        "ib_send_bw, -n 50, 8192 +50 ",
        "ib_send_bw, -n 30 -s 512 -b -q 2, 512 +60 ",
        "ib_send_bw, -n 50 -l 10 -s 64, 64 +50 ",
        "ib_send_bw, -n 20 -a, 8192 +20 ",
        "ib_send_lat, -n 20, 2 +20 ",
        "ib_send_lat, -n 10 -s 64, 64 +10 ",
        "ib_read_bw, -n 50, 65536 +50 ",
        "ib_read_bw, -n 30 -s 100 -b -q 2, 100 +60 ",
        "ib_read_lat, -n 20, 2 +20 ",
    })
    void toolMeetsThatOfC(String tool, String options, String result) throws Exception {
        assumeTrue(hasSrd(tool), "the C tools are not installed, or have no SRD");
        assertMeets(tool, options, result);
    }

    private static void assertMeets(String tool, String options, String result) throws Exception {
        for (Peer server : List.of(Peer.C_INSTALLED, Peer.JAVA)) {
            Peer client = server == Peer.JAVA ? Peer.C_INSTALLED : Peer.JAVA;
            assertResult(meet(tool, options, server, client, StandInAdapter.otherPort()), tool, result);
        }
    }

    /** Other tools meet themselves in {@link #javaIsComparedWithC}. */
    @ParameterizedTest
    @CsvSource({
        "ib_send_lat, -n 20, 2 +20 ",
        "ib_read_bw, -n 50, 65536 +50 ",
        "ib_read_bw, -n 20 -a, 65536 +20 ",
    })
    void toolMeetsItself(String tool, String options, String result) throws Exception {
        assertResult(meet(tool, options, Peer.C_INSTALLED, Peer.JAVA, otherJvm()), tool, result);
    }

    private static void assertResult(Encounter encounter, String tool, String result) {
        assertThat(encounter.passed()).as(encounter.toString()).isTrue();
        for (String output : List.of(encounter.clientOutput(), encounter.serverOutput())) {
            assertThat(output)
                    .containsPattern("Connection type +: SRD\\s")
                    .containsPattern("ibv_wr\\* API +: ON\\s")
                    .containsPattern("Link type +: IB\n")
                    .containsPattern(" GID: 254:128:00:00:00:00:00:00:02:00:00:255:254:00:00:01\n")
                    .containsPattern(" GID: 254:128:00:00:00:00:00:00:02:00:00:255:254:00:00:02\n");
        }
        assertThat(encounter.clientOutput()).containsPattern("\n " + result);
        if (!tool.equals("ib_read_lat")) {
            assertThat(encounter.serverOutput()).containsPattern("\n " + result);
        }
    }

    /**
     * The installed rdma-core decides. C's ib_write_lat hangs if it posts inline, which is its default. C's tools of
     * version 4.5 have no unsolicited writes, and their rdma-core has no writes.
     */
    @ParameterizedTest
    @CsvSource({
        "ib_write_bw, -n 50, 65536 +50 ",
        "ib_write_bw, -n 30 -s 512 -b -q 2, 512 +60 ",
        "ib_write_bw, -n 50 --write_with_imm, 65536 +50 ",
        "ib_write_lat, -n 20 -I 0, 2 +20 ",
        "ib_write_lat, -n 20 -I 0 --write_with_imm, 2 +20 ",
        "ib_write_bw, -n 50 --write_with_imm --unsolicited_write, 65536 +50 ",
        "ib_write_bw, -n 30 -s 512 -b -q 2 --write_with_imm --unsolicited_write, 512 +60 ",
        "ib_write_lat, -n 20 -I 0 --write_with_imm --unsolicited_write, 2 +20 ",
    })
    void writesNeedRdmaCore46(String tool, String options, String result) throws Exception {
        if (writes()) {
            assertResult(meet(tool, options, Peer.C_INSTALLED, Peer.JAVA, otherJvm()), tool, result);
            if (hasSrd(tool)) {
                assertMeets(tool, options, result);
            }
        } else {
            assertRefused(
                    tool,
                    options,
                    "-c/--connection: SRD is not allowed for " + tool + "; efa_0 does not report RDMA_WRITE, which"
                            + " needs an adapter and a driver that have it, and rdma-core 46 or later");
        }
    }

    @Test
    void unsolicitedWritesNeedRdmaCore52() throws Exception {
        assumeTrue(writes(), "needs rdma-core 46");
        List<String> command = new ArrayList<>(List.of("env", "RDMA4J_EFA_CAPABILITIES=" + ALL_WITHOUT_UNSOLICITED));
        command.addAll(otherJvm());
        command.addAll(List.of(("ib_write_bw " + SRD + "--write_with_imm --unsolicited_write").split(" +")));
        try (Side server = new ProcessSide(command)) {
            assertThat(server.await(LIMIT)).isNotZero();
            assertThat(server.output())
                    .contains("--unsolicited_write is not allowed; efa_0 does not report UNSOLICITED_WRITE_RECEIVE,"
                            + " which needs an adapter and a driver that have it, and rdma-core 52 or later");
        }
    }

    /** A comparison with its servers on the other port. */
    @Test
    void javaIsComparedWithC() throws Exception {
        List<String> tools =
                List.of("ib_send_bw", "ib_read_lat", "ib_write_lat").subList(0, writes() ? 3 : 2);
        for (String tool : tools) {
            assumeTrue(hasSrd(tool), "the C tools are not installed, or have no SRD");
        }
        int port = Listening.freePort();
        List<String> command = new ArrayList<>(StandInAdapter.otherPort());
        command.addAll(StandInAdapter.java());
        command.addAll(List.of(Main.class.getName(), "compare", "--serve", "--port", Integer.toString(port)));
        try (Side servers = new ProcessSide(command)) {
            while (!Listening.on(port, false)) {
                assertThat(servers.await(Duration.ofMillis(10)))
                        .as(servers.output())
                        .isNull();
            }
            String options =
                    "compare --peer 127.0.0.1:%d -c SRD --tools %s --sizes 64 -n 20 --rounds 1 --no-warm-up --tcp none";
            try (Side clients = new JavaSide(
                    List.of(options.formatted(port, String.join(",", tools)).split(" ")))) {
                assertThat(clients.await(LIMIT))
                        .as(clients.output() + servers.output())
                        .isZero();
                assertThat(servers.await(LIMIT)).as(servers.output()).isZero();
                for (String tool : tools) {
                    assertThat(clients.output())
                            .containsPattern("\n%s\n.*\nJava +64 +20 .*\nC +64 +20 ".formatted(tool));
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        ib_send_lat | -I 81        | -I/--inline_size: 81 is too large for SRD on efa_0; at most
        ib_send_bw  | -s 8193      | -s/--size: 8193 is too large for SRD; at most 8192 bytes, which is the limit of the adapter
        ib_read_bw  | -s 65537     | -s/--size: 65537 is too large for SRD; at most 65536 bytes, which is the limit of the adapter
        ib_send_bw  | -t 5000 -n 9000 | -t/--tx-depth: 5000 is too large for SRD on efa_0; at most 4096
        ib_send_bw  | -r 9000 -n 9000 | -r/--rx-depth: 9000 is too large for SRD on efa_0; at most 8192
        """)
    void limitsOfTheAdapterAreNamed(String tool, String options, String message) throws Exception {
        assertRefused(tool, options, message);
    }

    private static void assertRefused(String tool, String options, String message) throws Exception {
        assertPrints(tool + " " + SRD + options, message);
    }

    private static void assertPrints(String command, String message) throws Exception {
        try (Side server = new JavaSide(List.of(command.split(" +")))) {
            assertThat(server.await(LIMIT)).isNotZero();
            assertThat(server.output()).contains(message);
        }
    }

    @Test
    void missingOptionsAreNamed() throws Exception {
        assertPrints(
                "ib_send_bw -c SRD", "SRD needs the GID of the port, because EFA has no LIDs: give -x/--gid-index 0");
        assertPrints(
                "ib_write_bw -x 0", "RC is not allowed; efa_0 has no connections. On an Elastic Fabric Adapter, give");
    }
}
