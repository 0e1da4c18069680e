// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortCountersTest {
    @TempDir
    private Path devices;

    private void write(String counter, String value) throws IOException {
        Path file = devices.resolve("mlx5_0/ports/1").resolve(counter);
        Files.createDirectories(file.getParent());
        Files.writeString(file, value + "\n");
    }

    @Test
    void reportsChangesSinceTheLastRead() throws IOException {
        write("counters/port_xmit_data", "1000");
        // More than a signed long holds: the counter wraps around.
        write("hw_counters/out_of_buffer", "18446744073709551615");
        PortCounters counters = PortCounters.open(
                devices, "mlx5_0", 1, List.of("hw_counters/out_of_buffer", "counters/port_xmit_data"));
        write("counters/port_xmit_data", "1250");
        write("hw_counters/out_of_buffer", "4");
        assertThat(counters.changes())
                .containsExactly(entry("hw_counters/out_of_buffer", 5L), entry("counters/port_xmit_data", 250L));
        write("counters/port_xmit_data", "1251");
        assertThat(counters.changes())
                .containsExactly(entry("hw_counters/out_of_buffer", 0L), entry("counters/port_xmit_data", 1L));
    }

    @Test
    void counterThatIsNotThereIsRefusedWithThoseThatAre() throws IOException {
        write("counters/port_xmit_data", "0");
        write("hw_counters/lifespan", "10");
        write("hw_counters/sent_pkts", "0");
        assertThatThrownBy(() -> PortCounters.open(devices, "mlx5_0", 1, List.of("counters/port_xmit_dat")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("-W/--report-counters: counters/port_xmit_dat is no counter of port 1 of mlx5_0;"
                        + " it has counters/port_xmit_data, hw_counters/sent_pkts");
        assertThatThrownBy(() -> PortCounters.open(devices, "mlx5_0", 2, List.of("counters/x")))
                .hasMessageEndingWith("is no counter of port 2 of mlx5_0; it has none");
    }

    @Test
    void textOfACounterWithoutANumberIsReported() throws IOException {
        write("counters/port_xmit_data", "N/A (no PMA)");
        assertThatThrownBy(() -> PortCounters.open(devices, "mlx5_0", 1, List.of("counters/port_xmit_data")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "-W/--report-counters: counters/port_xmit_data of port 1 of mlx5_0 has no number: 'N/A (no PMA)';"
                                + " leave it out");
    }

    /** A reloaded driver restarts its counters. */
    @Test
    void restartedCounterIsLeftOutOnce() throws IOException {
        write("counters/a", "1000");
        PortCounters counters = PortCounters.open(devices, "mlx5_0", 1, List.of("counters/a"));
        write("counters/a", "3");
        assertThat(counters.changes()).isEmpty();
        write("counters/a", "5");
        assertThat(counters.changes()).containsExactly(entry("counters/a", 2L));
    }

    @Test
    void counterThatVanishesIsLeftOut() throws IOException {
        write("counters/a", "1");
        PortCounters counters = PortCounters.open(devices, "mlx5_0", 1, List.of("counters/a"));
        Files.delete(devices.resolve("mlx5_0/ports/1/counters/a"));
        assertThat(counters.changes()).isEmpty();
        // When the counter is back, the change since the last successful read is reported.
        write("counters/a", "4");
        assertThat(counters.changes()).containsExactly(entry("counters/a", 3L));
    }
}
