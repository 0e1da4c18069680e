// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Device memory on the wire. {@link io.github.rdma4j.gpudirect.GpuDirect} registers memory of a GPU with an adapter by
 * the best path that the machine offers, and says why it is not a better one; a
 * {@link io.github.rdma4j.gpudirect.DeviceRegion} is usable wherever a {@link io.github.rdma4j.verbs.MemoryRegion} is,
 * on every path by the same program.
 *
 * @experimental It has been run on two GPUs, an NVIDIA H100 and an H200, but not with an adapter.
 */
package io.github.rdma4j.gpudirect;
