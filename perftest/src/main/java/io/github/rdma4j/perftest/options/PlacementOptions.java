// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.placement.CpuList;
import io.github.rdma4j.perftest.placement.PlacementRequest;
import java.util.List;
import picocli.CommandLine.Option;

/** Where the measuring thread and its memory are, and what is read of the machine beside the run. */
public final class PlacementOptions {
    /** Counter names are file names below the port's folder in sysfs, and nothing that leads out of it. */
    private static final String COUNTER_NAME = "[\\w-]+(/[\\w-]+)*";

    @Option(
            names = {"-F", "--CPU-freq"},
            description = "Do not tell that the frequency of the measuring CPU varies.")
    private boolean ignoreCpuFrequency;

    @Option(
            names = "--pin_cores",
            paramLabel = "<list>",
            description =
                    "CPUs to run on, like 5 or 0-3,8: the first for the measuring thread, the others for the JVM.")
    private String cores;

    @Option(
            names = "--numa_node",
            paramLabel = "<node>",
            description = "NUMA node to run on and to take memory from (default the device's).")
    @Within(least = 0, most = 1023)
    private Integer node;

    @Option(names = "--disable_numa", description = "Do not bind to the device's NUMA node.")
    private boolean disableNuma;

    @Option(names = "--cpu_util", description = "Show CPU utilization in report, valid only with -D.")
    private boolean cpuUtilisation;

    @Option(
            names = {"-W", "--report-counters"},
            paramLabel = "<names>",
            split = ",",
            description = "Report how counters of the device's port change, for example"
                    + " counters/port_xmit_data,hw_counters/out_of_buffer.")
    private List<String> counters = List.of();

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

    /** Whether nothing is to be said of the CPU's frequency. */
    public boolean ignoreCpuFrequency() {
        return ignoreCpuFrequency;
    }

    /** Where to run. */
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

    /** Whether to report how busy the CPUs were in the measured part of a timed run. */
    public boolean cpuUtilisation() {
        return cpuUtilisation;
    }

    /** Counters to report, as files below the port's folder in sysfs. */
    public List<String> counters() {
        return List.copyOf(counters);
    }
}
