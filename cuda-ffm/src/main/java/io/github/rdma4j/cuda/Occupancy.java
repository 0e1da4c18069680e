// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * A launch that fills the device.
 *
 * @param gridSize the fewest blocks that fill the device
 * @param blockSize threads of a block
 * @since 0.1.0
 */
public record Occupancy(int gridSize, int blockSize) {}
