// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Set;

/**
 * The kernel driver of a device, which determines whether calls of the hot path can block. If in doubt, they can.
 *
 * @param name the name of the driver; empty for a software device (rxe, siw), which has no parent device;
 *     {@link #UNKNOWN} if sysfs does not have it
 */
public record DeviceDriver(String name) {
    /** The name of a driver that could not be read. All calls are assumed to block. */
    public static final String UNKNOWN = "?";

    private static final String VMW_PVRDMA = "vmw_pvrdma";

    /**
     * Drivers whose user-space providers ring the doorbell only with a store to mapped memory, so that posting takes a
     * few dozen nanoseconds. The others: rxe, siw, hfi1, qib and usnic, post through the kernel; cxgb4 does so when its
     * doorbells are off; bnxt_re may wait for its doorbell queue to drain; a store to the doorbell of vmw_pvrdma calls
     * the hypervisor.
     */
    private static final Set<String> POST_IN_USER_SPACE = Set.of(
            "mlx5_core",
            "mlx5_core.sf",
            "mlx4_core",
            "ice",
            "i40e",
            "idpf",
            "irdma",
            "efa",
            "hns3",
            "hns_roce_hw_v2",
            "erdma");

    /**
     * Drivers whose providers may poll through the kernel; all others read memory. Also those that take the lock of a
     * send queue while they poll (efa, hns when it flushes, ionic): extended posting holds that lock in Java code,
     * where a safepoint can stop the thread, and a critical call that waits for the lock would then block the safepoint
     * forever. A poll of an empty queue of vmw_pvrdma is a call of the hypervisor.
     */
    private static final Set<String> POLL_MAY_WAIT =
            Set.of("hfi1", "ib_qib", "efa", "hns3", "hns_roce_hw_v2", "ionic", "ionic_rdma", VMW_PVRDMA);

    /**
     * Returns the driver of a device.
     *
     * @param sysfsPath the device's directory, {@code /sys/class/infiniband/NAME}
     * @return its driver
     */
    public static DeviceDriver of(Path sysfsPath) {
        Path link = sysfsPath.resolve("device").resolve("driver");
        try {
            boolean software = Files.isDirectory(sysfsPath) && Files.notExists(link, LinkOption.NOFOLLOW_LINKS);
            return new DeviceDriver(
                    software ? "" : link.toRealPath().getFileName().toString());
        } catch (IOException e) {
            return new DeviceDriver(UNKNOWN);
        }
    }

    /** {@return whether posting never enters the kernel and never waits} */
    public boolean postsInUserSpace() {
        return POST_IN_USER_SPACE.contains(name);
    }

    /** {@return whether polling never enters the kernel and never waits for a thread that posts} */
    public boolean pollsInUserSpace() {
        return !name.equals(UNKNOWN) && !POLL_MAY_WAIT.contains(name);
    }

    /**
     * Returns whether ibv_next_poll is correct at the end of the queue. Before rdma-core 55, SoftRoCE's ends the poll
     * there, and the required ibv_end_poll then consumes one completion too many.
     *
     * @return false for a device that is or may be a software device
     */
    public boolean endsPollsProperly() {
        return !mayBeSoftware();
    }

    /**
     * Returns whether an inline request carries its data. libvmw_pvrdma grants each requested length, but ignores the
     * flag: the device reads the memory later, and the local key must be valid.
     *
     * @return false for vmw_pvrdma
     */
    public boolean sendsInlineData() {
        return !name.equals(VMW_PVRDMA);
    }

    /** {@return whether libmlx5 is its user-space driver} */
    public boolean isMlx5() {
        return name.startsWith("mlx5_core");
    }

    /** {@return whether libefa is its user-space driver} */
    public boolean isEfa() {
        return name.equals("efa");
    }

    /** {@return whether it is a software device, or could be one} */
    public boolean mayBeSoftware() {
        return name.isEmpty() || name.equals(UNKNOWN);
    }
}
