// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.base.TimeText;
import java.time.Duration;

/**
 * Thrown when NCCL has not finished in time, in most cases because other ranks are missing. The communicator can only
 * be aborted, which its {@code close()} does.
 *
 * @serial exclude
 * @since 0.1.0
 */
public class NcclTimeoutException extends NcclException {
    private static final long serialVersionUID = 1L;

    /**
     * A timeout has passed.
     *
     * @param call the call that has not finished
     * @param limit the timeout
     */
    public NcclTimeoutException(String call, Duration limit) {
        super(
                call,
                NcclStatus.IN_PROGRESS,
                NcclStatus.IN_PROGRESS.number(),
                "",
                "not finished after %s: check whether all ranks have made the same call and can reach each other"
                                .formatted(TimeText.of(limit))
                        + " (NCCL_SOCKET_IFNAME); then abort or close the communicator");
    }
}
