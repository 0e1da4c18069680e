// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortTrafficTest {
    @TempDir
    private Path devices;

    private void write(String counter, String value) throws IOException {
        Path file = devices.resolve("mlx5_0/ports/2").resolve(counter);
        Files.createDirectories(file.getParent());
        Files.writeString(file, value + "\n");
    }

    @Test
    void everyPacketCounterCounts() throws IOException {
        write("counters/port_rcv_packets", "7");
        write("hw_counters/rcvd_pkts", "30");
        write("hw_counters/rx_pkts", "200");
        write("hw_counters/rx_bytes", "9000");
        PortTraffic traffic = new PortTraffic(devices, "mlx5_0", 2);
        assertThat(traffic.received()).isEqualTo(237);
        write("counters/port_rcv_packets", "N/A");
        assertThat(traffic.received()).isEqualTo(230);
        Files.delete(devices.resolve("mlx5_0/ports/2/hw_counters/rcvd_pkts"));
        assertThat(traffic.received()).isEqualTo(200);
        assertThat(traffic).hasToString("port 2 of mlx5_0");
    }

    @Test
    void nothingIsCountedWhereThereIsNoCounter() {
        assertThat(new PortTraffic(devices, "mlx5_0", 2).received()).isZero();
    }
}
