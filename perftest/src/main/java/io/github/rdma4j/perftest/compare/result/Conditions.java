// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.result;

import io.github.rdma4j.perftest.compare.plan.ComparePlan;
import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.device.LinkLayer;
import java.nio.file.Path;
import java.util.List;

/**
 * Under what conditions the figures were measured: without them they say nothing to anybody else.
 *
 * @param environment device, machine, JVM and versions
 * @param cFolder where the C tools are
 */
public record Conditions(Environment environment, String cFolder) {
    /**
     * Looks at the device and the machine.
     *
     * @throws io.github.rdma4j.verbs.VerbsException when there is no such device
     */
    public static Conditions look(ComparePlan plan, String cVersion, Path cFolder) {
        try (DeviceContext context = DeviceContext.open(Device.find(deviceName(plan)))) {
            boolean ethernet = context.port(plan.devicePort()).linkLayer() == LinkLayer.ETHERNET;
            int gidIndex = plan.gidIndex() < 0 && ethernet
                    ? context.selectGid(plan.devicePort()).index()
                    : plan.gidIndex();
            return new Conditions(
                    Environment.look(context, plan.devicePort(), gidIndex).withCVersion(cVersion), cFolder.toString());
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

    /** Name of the device. */
    public String device() {
        return environment.device();
    }

    /** Whether it is one without hardware, as SoftRoCE is. */
    public boolean software() {
        return environment.softwareDevice();
    }

    /** Index of the GID that both use; -1 where LIDs are used. */
    public int gidIndex() {
        return environment.gidIndex();
    }
}
