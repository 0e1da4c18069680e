// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import java.util.OptionalInt;

/**
 * The placement of a test: decided from the request and the machine, before anything is changed.
 *
 * <p>With several cores the measuring thread has the first core alone and the JVM's other threads share the rest: a
 * compiler thread on the measuring thread's core would affect the figures. With one core the other threads use any
 * other core that they may use. With a NUMA node the measuring thread may use all of its CPUs, and the other threads
 * stay as they are.
 */
public final class PlacementPlan {
    private final CpuList measuring;
    private final CpuList others;
    private final int memoryNode;
    private final OptionalInt deviceNode;
    private final String reason;

    private PlacementPlan(CpuList measuring, CpuList others, int memoryNode, OptionalInt deviceNode, String reason) {
        this.measuring = measuring;
        this.others = others;
        this.memoryNode = memoryNode;
        this.deviceNode = deviceNode;
        this.reason = reason;
    }

    /**
     * Creates a plan.
     *
     * @param request the user's request
     * @param topology of the machine
     * @param device name of the RDMA device
     * @throws IllegalArgumentException when the machine does not have the requested CPUs or node, or this process may
     *     not use them; the message names the option, the value and what is available
     */
    public static PlacementPlan of(PlacementRequest request, NumaTopology topology, String device) {
        OptionalInt deviceNode = topology.nodeOfDevice(device);
        if (request.cores() != null) {
            return onCores(request.cores(), topology, deviceNode);
        }
        if (request.node() >= 0) {
            return onNode(request.node(), topology, deviceNode);
        }
        if (!request.automatic()) {
            return nowhere(deviceNode, "the kernel's choice (--disable_numa)");
        }
        return automatic(topology, deviceNode, device);
    }

    private static PlacementPlan onCores(CpuList cores, NumaTopology topology, OptionalInt deviceNode) {
        CpuList online = topology.onlineCpus();
        CpuList allowed = topology.allowedCpus();
        CpuList absent = cores.without(online);
        refuse(
                !absent.isEmpty() && !online.isEmpty(),
                "--pin_cores: " + absent + " is not there; this machine's CPUs are " + online);
        CpuList forbidden = cores.without(allowed);
        refuse(
                !forbidden.isEmpty(),
                "--pin_cores: " + forbidden + " is not allowed; taskset, numactl or a cgroup leaves this process "
                        + allowed);
        CpuList first = CpuList.of(cores.first());
        CpuList rest = cores.without(first);
        // Memory follows the thread that touches it first, so it need not be bound.
        return new PlacementPlan(first, rest.isEmpty() ? allowed.without(first) : rest, -1, deviceNode, "--pin_cores");
    }

    private static PlacementPlan onNode(int node, NumaTopology topology, OptionalInt deviceNode) {
        CpuList nodes = topology.nodes();
        refuse(
                !nodes.contains(node),
                "--numa_node: " + node
                        + (nodes.isEmpty()
                                ? " is not there; this kernel knows no NUMA nodes"
                                : " is not there; this machine's nodes are " + nodes));
        refuse(
                !topology.memoryNodes().contains(node),
                "--numa_node: " + node + " has no memory; nodes with memory are " + topology.memoryNodes());
        refuse(
                !topology.allowedMemoryNodes().contains(node),
                "--numa_node: memory of " + node + " is not allowed; numactl or a cgroup leaves this process "
                        + topology.allowedMemoryNodes());
        CpuList cpus = topology.cpusOf(node);
        refuse(cpus.isEmpty(), "--numa_node: " + node + " has no CPUs; the test runs on the CPUs of its node");
        CpuList allowed = cpus.and(topology.allowedCpus());
        refuse(
                allowed.isEmpty(),
                "--numa_node: the CPUs of " + node + ", " + cpus
                        + ", are not allowed; taskset, numactl or a cgroup leaves this process "
                        + topology.allowedCpus());
        return new PlacementPlan(allowed, CpuList.NONE, node, deviceNode, "--numa_node");
    }

    private static PlacementPlan automatic(NumaTopology topology, OptionalInt deviceNode, String device) {
        if (deviceNode.isEmpty()) {
            return nowhere(deviceNode, "the kernel's choice, " + device + " names no NUMA node");
        }
        int node = deviceNode.getAsInt();
        CpuList allowed = topology.allowedCpus();
        if (!topology.onlineCpus().without(allowed).isEmpty()) {
            return nowhere(deviceNode, "CPUs " + allowed + ", as this process was started");
        }
        if (topology.nodes().equals(CpuList.of(node))) {
            return nowhere(deviceNode, "NUMA node " + node + ", the only one");
        }
        CpuList cpus = topology.cpusOf(node).and(allowed);
        if (cpus.isEmpty() || !topology.allowedMemoryNodes().contains(node)) {
            return nowhere(
                    deviceNode,
                    "the kernel's choice, the device's NUMA node " + node
                            + " has no CPUs or no memory for this process");
        }
        return new PlacementPlan(cpus, CpuList.NONE, node, deviceNode, "the device's");
    }

    private static PlacementPlan nowhere(OptionalInt deviceNode, String reason) {
        return new PlacementPlan(CpuList.NONE, CpuList.NONE, -1, deviceNode, reason);
    }

    private static void refuse(boolean condition, String message) {
        if (condition) {
            throw new IllegalArgumentException(message);
        }
    }

    /** Returns the CPUs to which the measuring thread is bound; empty if it is not bound. */
    public CpuList measuring() {
        return measuring;
    }

    /** Returns the CPUs to which the JVM's other threads are bound; empty if they are not bound. */
    public CpuList others() {
        return others;
    }

    /** The NUMA node that memory is taken from; -1 when the kernel chooses. */
    public int memoryNode() {
        return memoryNode;
    }

    /** The device's NUMA node. */
    public OptionalInt deviceNode() {
        return deviceNode;
    }

    /** One line for the banner: where, and why there. */
    public String describe() {
        if (measuring.isEmpty()) {
            return reason;
        }
        String device = deviceNode.isPresent() ? "; the device is on NUMA node " + deviceNode.getAsInt() : "";
        if (memoryNode >= 0) {
            boolean same = deviceNode.isPresent() && deviceNode.getAsInt() == memoryNode;
            return "NUMA node " + memoryNode + " (" + reason + "), CPUs " + measuring + (same ? "" : device);
        }
        return "CPU " + measuring + " (" + reason + "), other threads on "
                + (others.isEmpty() ? "the same, it is the only one" : others) + device;
    }
}
