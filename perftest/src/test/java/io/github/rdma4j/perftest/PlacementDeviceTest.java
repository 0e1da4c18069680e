// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.placement.CpuList;
import io.github.rdma4j.perftest.placement.NumaTopology;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the CPU and memory placement of a run and the counters that it reports, next to a C tool. */
@Tag("device")
class PlacementDeviceTest {
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static List<String> lines(String output, String part) {
        return output.lines().filter(line -> line.contains(part)).toList();
    }

    @Test
    void cpuUtilisationAndCountersArePrintedAsTheCToolPrintsThem() throws Exception {
        int port = freePort();
        String command = "ib_write_bw -F -u 18 -D 2 --cpu_util -s 4096 -W hw_counters/sent_pkts -p " + port;
        try (PeerProcess server = PeerProcess.ofC(command).awaitListening(port)) {
            CommandRun client = Program.run(command + " --no-warm-up localhost");
            assertThat(client.status()).as(client + server.output()).isZero();
            assertThat(server.await(Duration.ofSeconds(60))).as(server.output()).isZero();
            for (String output : List.of(client.out(), server.output())) {
                assertThat(output).containsPattern("MsgRate\\[Mpps]    CPU_Util\\[%]\n");
                assertThat(output).containsPattern("\n\thw_counters/sent_pkts=[1-9]\\d*\n\n");
            }
            String row = client.out()
                    .lines()
                    .filter(line -> line.startsWith(" 4096 "))
                    .findFirst()
                    .orElse("");
            assertThat(row).matches(" 4096 .*\\t    \\d+\\.\\d\\d");
            // The kernel's part, which is all of it with SoftRoCE, is counted here, and not by the C tool.
            assertThat(Double.parseDouble(row.substring(row.lastIndexOf(' ') + 1)))
                    .isBetween(1.0, 100.0);
        }
    }

    @Test
    void coreIsShownAndTheJvmHasItsThreadsBackAfterwards() throws Exception {
        CpuList all = NumaTopology.ofThisMachine().allowedCpus();
        int core = all.toArray()[all.size() - 1];
        int port = freePort();
        String command = "ib_write_lat -F -u 18 -n 50 -p " + port;
        try (PeerProcess server = PeerProcess.ofC(command).awaitListening(port)) {
            CommandRun client = Program.run(command + " --no-warm-up --details --pin_cores=" + core + " localhost");
            assertThat(client.status()).as(client + server.output()).isZero();
            assertThat(lines(client.out(), "Placement"))
                    .singleElement()
                    .asString()
                    .startsWith(" Placement       : CPU " + core + " (--pin_cores), other threads on ");
            assertThat(server.await(Duration.ofSeconds(60))).as(server.output()).isZero();
        }
        assertThat(NumaTopology.ofThisMachine().allowedCpus()).isEqualTo(all);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--pin_cores=8000 | --pin_cores: 8000 is not there; this machine's CPUs are ",
                "--numa_node 1000 | --numa_node: 1000 is not there; this ",
                "-W counters/none_of_it | -W/--report-counters: counters/none_of_it is no counter of port 1 of rxe"
            })
    void missingCpuIsRefusedBeforeThePeerIsContacted(String option, String message) throws IOException {
        try (ServerSocket peer = new ServerSocket(0)) {
            CommandRun run =
                    Program.run("ib_write_lat --no-warm-up " + option + " -p " + peer.getLocalPort() + " localhost");
            assertThat(run.status()).as(run.toString()).isEqualTo(2);
            assertThat(run.err()).startsWith("ib_write_lat: " + message);
            peer.setSoTimeout(100);
            assertThatThrownBy(peer::accept).isInstanceOf(SocketTimeoutException.class);
        }
    }
}
