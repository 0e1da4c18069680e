// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.environment;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.device.PortAttributes;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * The conditions of a measurement, without which its figures cannot be interpreted. Unknown values are null.
 *
 * @param rdma4j version of this project, with its wire version
 * @param device name of the RDMA device; null if none was measured, and then the values that depend on it mean nothing
 * @param devicePort its port
 * @param softwareDevice whether it is a software device, such as SoftRoCE
 * @param firmware version of its firmware; null when it has none
 * @param driver kernel driver of its hardware; null for a software device
 * @param linkLayer of the port: Ethernet or InfiniBand
 * @param activeMtu of the port, in bytes
 * @param gidIndex index of the GID in use; -1 where LIDs are enough
 * @param kernel name and release
 * @param architecture of the processor
 * @param cpuModel name of the processor
 * @param processors the number that the JVM may use
 * @param numaNode NUMA node of the device
 * @param pinnedCores processors that the measuring thread is bound to, as 0-3,8; null if it is not bound
 * @param memoryNode NUMA node that the buffers were bound to; null if they are not bound
 * @param clock the source of times
 * @param jvm name and version
 * @param jvmFlags the flags of its command line
 * @param cVersion the version of the C tools; null if none took part
 */
public record Environment(
        String rdma4j,
        String device,
        int devicePort,
        boolean softwareDevice,
        String firmware,
        String driver,
        String linkLayer,
        int activeMtu,
        int gidIndex,
        String kernel,
        String architecture,
        String cpuModel,
        int processors,
        Integer numaNode,
        String pinnedCores,
        Integer memoryNode,
        String clock,
        String jvm,
        List<String> jvmFlags,
        String cVersion) {
    /** Copies the list. */
    public Environment {
        jvmFlags = List.copyOf(jvmFlags);
    }

    /**
     * Reads the device, the machine and the calling thread. Reads a dozen small files, so do not call it right before a
     * run.
     *
     * @param context the open device
     * @param devicePort its port
     * @param gidIndex index of the GID in use; -1 for none
     * @throws io.github.rdma4j.verbs.VerbsException when the device does not answer
     */
    public static Environment read(DeviceContext context, int devicePort, int gidIndex) {
        PortAttributes port = context.port(devicePort);
        String firmware = context.attributes().firmwareVersion();
        SystemFiles files = SystemFiles.ofThisMachine();
        return new Environment(
                BuildInfo.version(),
                context.device().name(),
                devicePort,
                // Software devices have no vendor's part number.
                context.attributes().vendorPartId() == 0,
                firmware.isBlank() ? null : firmware,
                files.driver(context.device().name()),
                switch (port.linkLayer()) {
                    case ETHERNET -> "Ethernet";
                    case INFINIBAND -> "InfiniBand";
                    case UNSPECIFIED -> null;
                },
                port.activeMtu().bytes(),
                gidIndex,
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                System.getProperty("os.arch"),
                files.processorModel(),
                Runtime.getRuntime().availableProcessors(),
                files.numaNode(context.device().name()),
                files.boundProcessors(),
                null,
                clock(files),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                ManagementFactory.getRuntimeMXBean().getInputArguments(),
                null);
    }

    /**
     * Returns the machine and the calling thread only, for a measurement without an RDMA device: {@link #device} is
     * null.
     */
    public static Environment ofMachine() {
        SystemFiles files = SystemFiles.ofThisMachine();
        return new Environment(
                BuildInfo.version(),
                null,
                0,
                false,
                null,
                null,
                null,
                0,
                -1,
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                System.getProperty("os.arch"),
                files.processorModel(),
                Runtime.getRuntime().availableProcessors(),
                null,
                files.boundProcessors(),
                null,
                clock(files),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                ManagementFactory.getRuntimeMXBean().getInputArguments(),
                null);
    }

    /** Returns the name of this machine; empty if the kernel does not report it. */
    public static String hostName() {
        String name = SystemFiles.ofThisMachine().hostName();
        return name == null ? "" : name;
    }

    private static String clock(SystemFiles files) {
        return "System.nanoTime (CLOCK_MONOTONIC"
                + (files.clockSource() == null ? ")" : ", clock source " + files.clockSource() + ")");
    }

    /** This environment where C tools of this version take part. */
    public Environment withCVersion(String version) {
        return with(memoryNode, version);
    }

    /** This environment where memory is bound to a NUMA node; null where to none. */
    public Environment withMemoryNode(Integer node) {
        return with(node, cVersion);
    }

    private Environment with(Integer newMemoryNode, String newCVersion) {
        return new Environment(
                rdma4j,
                device,
                devicePort,
                softwareDevice,
                firmware,
                driver,
                linkLayer,
                activeMtu,
                gidIndex,
                kernel,
                architecture,
                cpuModel,
                processors,
                numaNode,
                pinnedCores,
                newMemoryNode,
                clock,
                jvm,
                jvmFlags,
                newCVersion);
    }
}
