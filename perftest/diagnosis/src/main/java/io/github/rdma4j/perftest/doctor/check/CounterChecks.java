// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import io.github.rdma4j.perftest.doctor.machine.RdmaPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Checks the counters of a device's ports: those that are not zero and indicate trouble. */
final class CounterChecks {
    /** The highest loss in a healthy network: one in this many packets. */
    private static final long RARE = 1_000_000;

    /** For counters that are not per packet: smaller counts are caused by restarts of switches and drivers. */
    private static final long SEVERAL = 10;

    private static final List<String> PACKETS = List.of(
            "counters/port_rcv_packets",
            "counters/port_xmit_packets",
            "hw_counters/rcvd_pkts",
            "hw_counters/sent_pkts",
            "hw_counters/rx_pkts",
            "hw_counters/tx_pkts");
    /** The width in bits of counters that stop at their maximum, by the specification of InfiniBand. */
    private static final Map<String, Integer> BITS = Map.of(
            "local_link_integrity_errors", 4,
            "excessive_buffer_overrun_errors", 4,
            "link_error_recovery", 8,
            "link_downed", 8,
            "symbol_error", 16,
            "port_rcv_errors", 16,
            "port_rcv_remote_physical_errors", 16,
            "port_xmit_discards", 16);

    private static final int OTHERS_BITS = 32;

    private final MachineFiles files;
    private final RdmaDevice device;

    CounterChecks(Machine machine, RdmaDevice device) {
        this.files = machine.files();
        this.device = device;
    }

    List<Finding> findings() {
        return device.ports().stream().flatMap(port -> findings(port).stream()).toList();
    }

    private List<Finding> findings(RdmaPort port) {
        List<Finding> findings = new ArrayList<>();
        long packets = PACKETS.stream()
                .map(name -> files.number(port.folder() + "/" + name))
                .flatMapToLong(OptionalLong::stream)
                .reduce(0, (one, other) -> Math.max(0, one + other));
        int read = 0;
        for (String file : counters(port)) {
            OptionalLong value = files.number(file);
            read += value.isPresent() ? 1 : 0;
            CounterMeaning.of(file.substring(file.lastIndexOf('/') + 1))
                    .filter(_ -> value.orElse(0) > 0)
                    .ifPresent(meaning -> findings.add(finding(port, file, value.getAsLong(), packets, meaning)));
        }
        if (read == 0) {
            return List.of(new Finding(
                    Check.COUNTERS,
                    port.name(),
                    "/" + port.folder() + "/hw_counters",
                    UNKNOWN,
                    "no counter of the port can be read",
                    "counters would show loss and congestion",
                    "run rdma statistic show link " + port.name()));
        }
        return findings.isEmpty()
                ? List.of(Finding.ok(
                        Check.COUNTERS,
                        port.name(),
                        "/" + port.folder() + "/hw_counters",
                        "none of " + read + " counters shows loss, congestion or a bad cable"))
                : findings;
    }

    private List<String> counters(RdmaPort port) {
        return Stream.of("hw_counters", "counters")
                .flatMap(folder -> files.names(port.folder() + "/" + folder).stream()
                        .sorted()
                        .map(name -> port.folder() + "/" + folder + "/" + name))
                .toList();
    }

    private Finding finding(RdmaPort port, String file, long value, long packets, CounterMeaning meaning) {
        // A counter that has reached its maximum only shows a lower bound.
        String name = file.substring(file.lastIndexOf('/') + 1);
        boolean atEnd = value == (1L << BITS.getOrDefault(name, OTHERS_BITS)) - 1;
        boolean rare = meaning.isPerPacket() ? !atEnd && packets / RARE > value : value < SEVERAL;
        String seen = name + " " + number(value)
                + (atEnd ? ", the counter's maximum" : "")
                + (meaning.isPerPacket() && packets > 0 ? ", in " + number(packets) + " packets" : "");
        return new Finding(
                Check.COUNTERS,
                port.name(),
                "/" + file,
                meaning.isTrouble() && !rare ? WARNING : NOTE,
                seen,
                meaning.words() + (rare ? "; so few need no fix" : ""),
                rare ? "" : meaning.remedy());
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }
}
