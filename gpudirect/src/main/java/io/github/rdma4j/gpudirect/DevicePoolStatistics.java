// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.Optional;

/**
 * The state of a {@link DeviceMemoryPool} at one moment. All sizes are in bytes.
 *
 * @param lent in buffers that are lent, with their rounded sizes
 * @param peak the highest value of {@code lent}
 * @param registered in all slabs, including slabs that are being registered or deregistered
 * @param limit the most bytes to register; {@link Long#MAX_VALUE} for no limit
 * @param slabs the number of slabs
 * @param buffers the number of buffers that are lent
 * @param loans the number of buffers lent since the pool was created
 * @param waits how many of these loans had to wait
 * @param decision the path of the newest slab, and why no better one was taken; empty before the first slab
 * @param bar1 the window through which other devices reach the GPU's memory
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
