// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.options.PlacementOptions;
import io.github.rdma4j.perftest.placement.CpuList;
import io.github.rdma4j.perftest.placement.NumaTopology;
import io.github.rdma4j.perftest.placement.Placement;
import io.github.rdma4j.perftest.placement.PlacementPlan;
import io.github.rdma4j.perftest.resources.RunDevice;
import java.util.Optional;

/** The placement of a test: checked before anything is opened, in effect before memory is allocated. */
final class RunPlacement implements AutoCloseable {
    private final Placement placement;
    private final String remark;

    private RunPlacement(Placement placement, String remark) {
        this.placement = placement;
        this.remark = remark;
    }

    /**
     * Refuses CPUs or nodes that the machine does not have, as far as this does not depend on the device.
     *
     * @throws IllegalParameterException with one line for the user
     */
    static void check(PlacementOptions options) {
        plan(options, NumaTopology.ofThisMachine(), "");
    }

    /** Binds the calling thread. */
    static RunPlacement enter(PlacementOptions options, RunDevice device) {
        NumaTopology topology = NumaTopology.ofThisMachine();
        PlacementPlan plan = plan(options, topology, device.deviceName());
        return new RunPlacement(
                Placement.enter(plan, topology), options.ignoreCpuFrequency() ? "" : remark(plan, topology));
    }

    private static PlacementPlan plan(PlacementOptions options, NumaTopology topology, String device) {
        try {
            return PlacementPlan.of(options.request(), topology, device);
        } catch (IllegalArgumentException failure) {
            throw new IllegalParameterException(failure.getMessage());
        }
    }

    /** A changing CPU frequency does not falsify times, but makes them vary. */
    private static String remark(PlacementPlan plan, NumaTopology topology) {
        CpuList cpus = plan.measuring().isEmpty() ? topology.allowedCpus() : plan.measuring();
        Optional<String> governor = topology.frequencyGovernor(cpus.first());
        return governor.isEmpty() || governor.get().equals("performance")
                ? ""
                : "; CPU " + cpus.first() + "'s frequency governor is " + governor.get()
                        + ", not performance: figures may vary (-F hides this)";
    }

    /** Warns that the CPU's frequency makes figures vary; empty if it does not, or if -F suppresses the warning. */
    String frequencyRemark() {
        return remark.replaceFirst("^; ", "");
    }

    /** One line for the banner. */
    String describe() {
        return placement.describe() + remark;
    }

    /** The NUMA node that memory is bound to; null when to none. */
    Integer memoryNode() {
        return placement.memoryNode();
    }

    @Override
    public void close() {
        placement.close();
    }
}
