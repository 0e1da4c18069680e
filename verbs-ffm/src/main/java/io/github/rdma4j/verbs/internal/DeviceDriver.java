// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** What the kernel driver behind a device means for the hot path. */
public final class DeviceDriver {
    /**
     * Kernel drivers whose user-space providers ring the doorbell with a store to mapped memory, so that posting is a few
     * dozen nanoseconds and never a system call. Others (rxe, siw, hfi1, vmw_pvrdma, usnic ...) post through the kernel or
     * are not known to do otherwise.
     */
    private static final Set<String> USER_SPACE_DOORBELL = Set.of(
            "mlx5_core",
            "mlx4_core",
            "bnxt_en",
            "bnxt_re",
            "ice",
            "i40e",
            "idpf",
            "irdma",
            "efa",
            "hns3",
            "hns_roce_hw_v2",
            "erdma",
            "cxgb4",
            "qede",
            "mana",
            "ionic");

    private DeviceDriver() {}

    /**
     * Whether posting on the device stays in user space.
     *
     * @param ibdevPath the device's folder, {@code /sys/class/infiniband/NAME}
     * @return false if in doubt
     */
    public static boolean ringsDoorbellInUserSpace(Path ibdevPath) {
        // A software device has no parent device, hence no driver link.
        Path link = ibdevPath.resolve("device").resolve("driver");
        try {
            return Files.exists(link)
                    && USER_SPACE_DOORBELL.contains(
                            link.toRealPath().getFileName().toString());
        } catch (IOException e) {
            return false;
        }
    }
}
