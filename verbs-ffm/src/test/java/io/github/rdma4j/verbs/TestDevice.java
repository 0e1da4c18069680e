// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.List;

/** The verbs device that the device tests use, the first one; a run that has none fails, it does not skip. */
public final class TestDevice {
    /** Null: as the system property says. */
    private static DataPath dataPath;

    private TestDevice() {}

    public static DeviceContext open() {
        return dataPath == null ? DeviceContext.open(name()) : DeviceContext.open(name(), dataPath);
    }

    /** For all that is opened from now on; null to leave it to the system property again. */
    static void open(DataPath path) {
        dataPath = path;
    }

    public static String name() {
        List<Device> devices = Device.list();
        if (devices.isEmpty()) {
            throw new AssertionError("tests tagged 'device' need a verbs device: run them with scripts/test");
        }
        return devices.getFirst().name();
    }

    /** How many resources depend on that one, for tests of other packages. */
    public static int childCount(Resource resource) {
        return resource.childCount();
    }
}
