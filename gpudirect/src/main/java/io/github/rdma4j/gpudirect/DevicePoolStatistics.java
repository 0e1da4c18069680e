// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.Optional;

/**
 * The state of a {@link DeviceMemoryPool} at one moment. All sizes in bytes.
 *
 * @param lent in buffers that are lent; what was asked for, rounded up
 * @param peak the most that was lent at a time
 * @param registered in slabs, lent or not, those among it that are being registered or deregistered
 * @param limit the most that may be registered; {@link Long#MAX_VALUE} for no limit
 * @param slabs how many regions hold the memory
 * @param buffers how many are lent
 * @param loans how many there were in all
 * @param waits how many of them had to wait
 * @param decision by which path the newest slab is registered, and why not by a better one; empty before the first
 * @param bar1 the window by which other devices reach the GPU's memory
 * @since 0.1.0
 */
public record DevicePoolStatistics(
        long lent,
        long peak,
        long registered,
        long limit,
        int slabs,
        long buffers,
        long loans,
        long waits,
        Optional<PathDecision> decision,
        Bar1Use bar1) {}
