// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import io.github.rdma4j.perftest.doctor.check.CounterMeaning;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import io.github.rdma4j.perftest.doctor.pair.PeerPort;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Reads the port counters that indicate trouble. */
final class PortCounters {
    /** The most counters that are read, and accepted from the other end. */
    static final int MOST = 200;

    private PortCounters() {}

    /** Returns the counters by name, without files that are not numbers. */
    static Map<String, Long> read(MachineFiles files, PeerPort port) {
        Map<String, Long> counters = new TreeMap<>();
        String folder = "sys/class/infiniband/" + port.device() + "/ports/" + port.number();
        Stream.of("hw_counters", "counters")
                .forEach(kind -> files.names(folder + "/" + kind).stream()
                        .filter(name -> CounterMeaning.of(name).isPresent())
                        .limit(MOST / 2)
                        .forEach(name -> {
                            OptionalLong value = files.number(folder + "/" + kind + "/" + name);
                            value.ifPresent(number -> counters.put(name, number));
                        }));
        return counters;
    }
}
