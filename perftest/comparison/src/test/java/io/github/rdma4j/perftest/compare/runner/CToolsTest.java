// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.options.Tool;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CToolsTest {
    @TempDir
    private Path folder;

    private Path program(String text) throws IOException {
        return program("ib_write_bw", text);
    }

    private Path program(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void namesTheMissingToolAndItsPackage() {
        assertThatThrownBy(() -> CTools.find(List.of(Tool.WRITE_LATENCY), List.of(folder)))
                .isInstanceOfSatisfying(PerftestException.class, failure -> {
                    assertThat(failure).hasMessage("C's ib_write_lat is not in " + folder);
                    assertThat(failure.remedy()).contains("package perftest");
                });
    }

    @Test
    void takesTheFirstOnThePath() throws IOException {
        Path program = program("exit 0\n");

        CTools tools = CTools.find(List.of(Tool.WRITE_BANDWIDTH), List.of(folder.resolve("none"), folder));

        assertThat(tools.program(Tool.WRITE_BANDWIDTH)).isEqualTo(program);
    }

    @ParameterizedTest
    @EnumSource(names = {"WRITE_LATENCY", "WRITE_BANDWIDTH"})
    void onlyTheServerOfALatencyToolReportsCycles(Tool tool) throws IOException {
        RunOrder order =
                new RunOrder(tool, 2, 500, "rxe0", 1, -1, 0, null, 1, 0, 0, 18515, 60, false, false, List.of());
        String program = program(tool.command(), "exit 0\n").toString();
        CTools tools = CTools.find(List.of(tool), List.of(folder));
        List<String> server = new ArrayList<>(List.of(program));
        server.addAll(order.arguments());
        List<String> client = new ArrayList<>(server);
        client.add("10.0.0.1");
        if (tool.isLatency()) {
            server.add("-C");
        }

        assertThat(tools.server(order)).isEqualTo(server);
        assertThat(tools.client(order, "10.0.0.1")).isEqualTo(client);
    }

    @Test
    void asksForTheVersion() throws IOException {
        program("echo 'Version: 6.06'; exit 1\n");

        try (ChildProcesses children = new ChildProcesses()) {
            assertThat(CTools.find(List.of(Tool.WRITE_BANDWIDTH), List.of(folder))
                            .version(children))
                    .isEqualTo("6.06");
        }
    }

    @Test
    void toolsWithoutTheConnectionTypeAreRefused() throws IOException {
        try (ChildProcesses children = new ChildProcesses()) {
            program("echo '  -c, --connection=<RC/SRD>'; exit 1\n");
            CTools tools = CTools.find(List.of(Tool.WRITE_BANDWIDTH), List.of(folder));
            tools.checkConnection("SRD", children);
            program("echo ' SRD connection only possible in SEND/READ verbs'; exit 1\n");
            tools.checkConnection(null, children);
            assertThatThrownBy(() -> tools.checkConnection("SRD", children))
                    .isInstanceOfSatisfying(PerftestException.class, failure -> {
                        assertThat(failure)
                                .hasMessage("C's ib_write_bw in " + folder
                                        + " has no SRD: SRD connection only possible in SEND/READ verbs");
                        assertThat(failure.remedy()).contains("for writes from perftest 23.07 on");
                    });
        }
    }

    @Test
    void toolsWithoutIpv6AreNotSentThere() throws IOException {
        InetAddress ipv6 = InetAddress.ofLiteral("fd00::1");
        try (ChildProcesses children = new ChildProcesses()) {
            program("echo '  --ipv6  Use IPv6 GID'; exit 1\n");
            CTools tools = CTools.find(List.of(Tool.WRITE_BANDWIDTH), List.of(folder));
            tools.checkFamily(InetAddress.ofLiteral("10.0.0.1"), children);
            assertThatThrownBy(() -> tools.checkFamily(ipv6, children))
                    .isInstanceOfSatisfying(PerftestException.class, failure -> {
                        assertThat(failure)
                                .hasMessage("C's ib_write_bw in " + folder
                                        + " connects over IPv4 only: it has no --ipv6-addr");
                        assertThat(failure.remedy()).contains("give --peer an IPv4 address");
                    });
            program("echo '  --ipv6-addr (SYMMETRIC)'; exit 1\n");
            tools.checkFamily(ipv6, children);
        }
    }

    @Test
    void doesWithoutAVersion() throws IOException {
        program("echo nothing\n");

        try (ChildProcesses children = new ChildProcesses()) {
            assertThat(CTools.find(List.of(Tool.WRITE_BANDWIDTH), List.of(folder))
                            .version(children))
                    .isEqualTo("unknown");
        }
    }
}
