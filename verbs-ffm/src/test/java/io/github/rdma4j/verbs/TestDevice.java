// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.nio.file.Files;
import java.util.List;

/**
 * The verbs device that the device tests use: the one that the system property {@value #PROPERTY} names, or else the
 * first one. Without a device a test fails and is not skipped.
 */
public final class TestDevice {
    /** For machines with several devices, on which the first may have no cable. */
    public static final String PROPERTY = "rdma4j.test.device";

    private TestDevice() {}

    public static DeviceContext open() {
        return DeviceContext.open(name());
    }

    public static String name() {
        return first().name();
    }

    public static Device first() {
        List<Device> devices = Device.list();
        if (devices.isEmpty()) {
            throw new AssertionError("tests tagged 'device' need a verbs device: run them with scripts/test");
        }
        String wanted = System.getProperty(PROPERTY, devices.getFirst().name());
        return devices.stream()
                .filter(device -> device.name().equals(wanted))
                .findFirst()
                .orElseThrow(() -> new AssertionError("-D%s=%s: there are %s".formatted(PROPERTY, wanted, devices)));
    }

    /** Whether the kernel plays the adapter. */
    static boolean isSoftware() {
        return Files.notExists(first().sysfsPath().resolve("device"));
    }

    /** Returns the number of resources that depend on a resource, for tests of other packages. */
    public static int childCount(Resource resource) {
        return resource.childCount();
    }
}
