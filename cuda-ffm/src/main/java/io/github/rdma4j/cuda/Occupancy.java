// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * A launch that fills the device.
 *
 * @param gridSize blocks, the least that fill it
 * @param blockSize threads in each
 * @since 0.1.0
 */
public record Occupancy(int gridSize, int blockSize) {}
