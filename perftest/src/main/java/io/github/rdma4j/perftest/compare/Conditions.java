// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import io.github.rdma4j.perftest.report.BuildInfo;
import io.github.rdma4j.perftest.wire.WireVersion;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.LinkLayer;
import io.github.rdma4j.verbs.PortAttributes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Under what conditions the figures were measured: without them they say nothing to anybody else.
 *
 * @param device name of the RDMA device
 * @param devicePort its port
 * @param software whether it is one without hardware, as SoftRoCE is
 * @param firmware its firmware's version; empty when it has none
 * @param linkLayer of the port
 * @param gidIndex index of the GID that both use; -1 where LIDs are used
 * @param activeMtu of the port, in bytes
 * @param kernel name and release
 * @param architecture of the processor
 * @param processors how many the JVM may use
 * @param clockSource of the kernel's monotonic clock
 * @param jvm name and version
 * @param jvmFlags that both JVMs were started with
 * @param rdma4j version of this project
 * @param cVersion what the C tools say of themselves
 * @param cFolder where they are
 */
record Conditions(
        String device,
        int devicePort,
        boolean software,
        String firmware,
        String linkLayer,
        int gidIndex,
        int activeMtu,
        String kernel,
        String architecture,
        int processors,
        String clockSource,
        String jvm,
        List<String> jvmFlags,
        String rdma4j,
        String cVersion,
        String cFolder) {
    private static final Path CLOCK_SOURCE =
            Path.of("/sys/devices/system/clocksource/clocksource0/current_clocksource");

    /**
     * Looks at the device and the machine.
     *
     * @throws io.github.rdma4j.verbs.VerbsException when there is no such device
     */
    static Conditions look(ComparePlan plan, String cVersion, Path cFolder) {
        try (DeviceContext context = DeviceContext.open(Device.find(deviceName(plan)))) {
            PortAttributes port = context.port(plan.devicePort());
            boolean ethernet = port.linkLayer() == LinkLayer.ETHERNET;
            return new Conditions(
                    context.device().name(),
                    plan.devicePort(),
                    // Software devices have no vendor's part number.
                    context.attributes().vendorPartId() == 0,
                    context.attributes().firmwareVersion(),
                    port.linkLayer().toString(),
                    plan.gidIndex() < 0 && ethernet
                            ? context.selectGid(plan.devicePort()).index()
                            : plan.gidIndex(),
                    port.activeMtu().bytes(),
                    System.getProperty("os.name") + " " + System.getProperty("os.version"),
                    System.getProperty("os.arch"),
                    Runtime.getRuntime().availableProcessors(),
                    readClockSource(),
                    System.getProperty("java.vm.name") + " " + Runtime.version(),
                    JavaCommand.flags(),
                    BuildInfo.version() + ", wire version " + WireVersion.OURS,
                    cVersion,
                    cFolder.toString());
        }
    }

    private static String deviceName(ComparePlan plan) {
        if (plan.device() != null) {
            return plan.device();
        }
        List<Device> devices = Device.list();
        // With no device at all, looking for any name gives the explanation of why there is none.
        return devices.isEmpty() ? "" : devices.getFirst().name();
    }

    private static String readClockSource() {
        try {
            return Files.readString(CLOCK_SOURCE).strip();
        } catch (IOException _) {
            return "unknown";
        }
    }

    /** What the times were taken with. */
    String clock() {
        return "Java: System.nanoTime (CLOCK_MONOTONIC, clock source " + clockSource + "); C: the CPU's cycle counter";
    }
}
