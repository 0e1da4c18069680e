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
public final class PortCounters {
    /** The most counters that are read, and accepted from the other end. */
    static final int MOST = 200;

    private PortCounters() {}

    /** Returns the counters by name, without files that are not numbers. */
    static Map<String, Long> read(MachineFiles files, PeerPort port) {
        return read(files, port.device(), port.number());
    }

    /** Returns the counters of a device's port by name, without files that are not numbers. */
    public static Map<String, Long> read(MachineFiles files, String device, int number) {
        Map<String, Long> counters = new TreeMap<>();
        String folder = "sys/class/infiniband/" + device + "/ports/" + number;
        Stream.of("hw_counters", "counters")
                .forEach(kind -> files.names(folder + "/" + kind).stream()
                        .filter(name -> CounterMeaning.of(name).isPresent())
                        .limit(MOST / 2)
                        .forEach(name -> {
                            OptionalLong value = files.number(folder + "/" + kind + "/" + name);
                            value.ifPresent(count -> counters.put(name, count));
                        }));
        return counters;
    }
}
