// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ListeningPortsTest {
    private static final String[] TABLE = {
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
        "   0: 0100007F:D172 0100007F:4853 06 00000000:00000000 03:000011DB 00000000     0        0 0 3",
        "   1: 00000000:4854 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1",
    };

    @Test
    void findsWhoListens() {
        assertThat(ListeningPorts.listens(Stream.of(TABLE), 0x4854)).isTrue();
        assertThat(ListeningPorts.listens(Stream.of(TABLE), 0x4853)).isFalse();
        assertThat(ListeningPorts.listens(Stream.of(TABLE), 0xD172)).isFalse();
    }

    @Test
    void asksTheKernel() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            assertThat(ListeningPorts.contains(socket.getLocalPort())).isTrue();
        }
        assertThat(ListeningPorts.contains(ListeningPorts.free())).isFalse();
    }
}
