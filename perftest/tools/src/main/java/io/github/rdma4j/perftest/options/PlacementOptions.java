// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.placement.CpuList;
import io.github.rdma4j.perftest.placement.PlacementRequest;
import java.util.List;

/** The placement of the measuring thread and its memory, and the readings of the machine during the run. */
public final class PlacementOptions {
    /** Counter names are file names below the port's folder in sysfs, and must not lead out of it. */
    private static final String COUNTER_NAME = "[\\w -]+(/[\\w -]+)*";

    private boolean ignoreCpuFrequency;
    private String cores;
    private Integer node;
    private boolean disableNuma;
    private boolean cpuUtilisation;
    private List<String> counters;

    void declare(OptionList options) {
        options.flag("-F", "--CPU-freq")
                .description("Do not warn that the frequency of the measuring CPU varies.")
                .into(value -> ignoreCpuFrequency = value);
        options.value(String.class, "--pin_cores")
                .label("<list>")
                .description(
                        "CPUs to run on, such as 5 or 0-3,8: the first for the measuring thread, the others for the"
                                + " JVM.")
                .into(value -> cores = value);
        options.number("--numa_node")
                .label("<node>")
                .within(0, 1023)
                .description("NUMA node for threads and memory (default the device's).")
                .into(value -> node = value);
        options.flag("--disable_numa")
                .description("Do not bind to the device's NUMA node.")
                .into(value -> disableNuma = value);
        options.flag("--cpu_util")
                .description("Show CPU utilization in report, valid only with -D.")
                .into(value -> cpuUtilisation = value);
        options.words("-W", "--report-counters")
                .label("<names>")
                .description("Report how counters of the device's port change, for example"
                        + " counters/port_xmit_data,hw_counters/out_of_buffer.")
                .into(value -> counters = value);
    }

    void check(WorkloadOptions workload, Adjustments adjustments) {
        IllegalParameterException.when(
                cores != null && node != null,
                "--pin_cores and --numa_node exclude each other: memory follows the cores");
        IllegalParameterException.when(
                disableNuma && node != null, "--disable_numa and --numa_node exclude each other");
        if (adjustments.when(
                cpuUtilisation && workload.durationSeconds() == 0, "--cpu_util has no effect without -D/--duration")) {
            cpuUtilisation = false;
        }
        request();
        for (String counter : counters) {
            IllegalParameterException.when(
                    !counter.matches(COUNTER_NAME),
                    "-W/--report-counters: '" + counter
                            + "' is no counter; allowed are names like counters/port_xmit_data, separated by commas");
        }
    }

    /** Returns whether to print nothing about the CPU's frequency. */
    public boolean ignoreCpuFrequency() {
        return ignoreCpuFrequency;
    }

    /** Returns the requested placement. */
    public PlacementRequest request() {
        return new PlacementRequest(cores == null ? null : list(), node != null ? node : -1, !disableNuma);
    }

    private CpuList list() {
        CpuList list;
        try {
            list = CpuList.parse(cores);
        } catch (IllegalArgumentException failure) {
            throw new IllegalParameterException(
                    "--pin_cores: " + cores + " is no list like 0-3,8: " + failure.getMessage());
        }
        IllegalParameterException.when(list.isEmpty(), "--pin_cores: '' names no CPU; give a list like 0-3,8");
        return list;
    }

    /** Returns whether to report how busy the CPUs were in the measured part of a timed run. */
    public boolean cpuUtilisation() {
        return cpuUtilisation;
    }

    /** Counters to report, as files below the port's folder in sysfs. */
    public List<String> counters() {
        return List.copyOf(counters);
    }
}
