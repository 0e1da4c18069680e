// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch.sample;

import io.github.rdma4j.perftest.doctor.check.CounterMeaning;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads the counters of the ports of this machine's RDMA devices from sysfs, without opening a device or needing
 * privileges. Between two reads, a device may appear, disappear or be renamed.
 *
 * <p>Safe for use by several threads.
 */
public final class Sampler {
    private static final String DEVICES = "sys/class/infiniband";
    private static final String NODES = "sys/class/infiniband_verbs";

    /** The maximum of a 32-bit counter, where the counters of InfiniBand's specification stop. */
    private static final long STOPPED = 0xffff_ffffL;

    private final MachineFiles files;
    private final Optional<String> only;

    /**
     * @param root the folder that contains {@code sys}
     * @param only the only device to read; empty for all
     */
    public Sampler(Path root, Optional<String> only) {
        this.files = new MachineFiles(root);
        this.only = only;
    }

    /** Reads all ports, by device and number; empty if there is no device. */
    public List<PortSample> sample() {
        List<PortSample> samples = new ArrayList<>();
        Set<String> forPrograms = forPrograms();
        for (String device : files.names(DEVICES)) {
            if (!forPrograms.isEmpty() && !forPrograms.contains(device)) {
                continue;
            }
            if (only.isPresent() && !only.get().equals(device)) {
                continue;
            }
            for (String number : files.names(DEVICES + "/" + device + "/ports")) {
                if (number.matches("\\d{1,3}")) {
                    samples.add(port(device, number));
                }
            }
        }
        return samples;
    }

    /** Devices for subnet management have no uverbs. Empty if no device has, as ib_uverbs is not loaded. */
    private Set<String> forPrograms() {
        return files.names(NODES).stream()
                .map(node -> files.text(NODES + "/" + node + "/ibdev"))
                .flatMap(Optional::stream)
                .collect(Collectors.toSet());
    }

    private PortSample port(String device, String number) {
        String folder = DEVICES + "/" + device + "/ports/" + number + "/";
        Map<Flow, Long> flows = new EnumMap<>(Flow.class);
        for (Flow flow : Flow.values()) {
            for (Flow.Source source : flow.sources()) {
                files.number(folder + source.file()).stream()
                        .filter(value -> value != STOPPED)
                        .forEach(value -> flows.putIfAbsent(flow, times(value, source.unit())));
            }
        }
        Map<String, Long> troubles = new HashMap<>();
        for (String kind : List.of("hw_counters", "counters")) {
            for (String name : files.names(folder + kind)) {
                if (CounterMeaning.of(name).isPresent()) {
                    files.number(folder + kind + "/" + name).ifPresent(value -> troubles.putIfAbsent(name, value));
                }
            }
        }
        return new PortSample(
                device,
                Integer.parseInt(number),
                files.text(folder + "state")
                        .map(text -> text.replaceFirst("^\\d+: *", ""))
                        .orElse(""),
                files.text(folder + "link_layer").orElse(""),
                files.text(folder + "rate").orElse(""),
                flows,
                troubles);
    }

    /** The greatest number instead of one beyond it. */
    private static long times(long value, int unit) {
        return value > Long.MAX_VALUE / unit ? Long.MAX_VALUE : value * unit;
    }
}
