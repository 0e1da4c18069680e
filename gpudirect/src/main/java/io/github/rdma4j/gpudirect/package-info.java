// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * GPU memory over RDMA. {@link io.github.rdma4j.gpudirect.GpuDirect} registers GPU memory with an adapter over the best
 * path that the machine offers, and reports why no better one works. A {@link io.github.rdma4j.gpudirect.DeviceRegion}
 * works wherever a {@link io.github.rdma4j.verbs.MemoryRegion} does, with the same program on every path.
 *
 * @experimental It has been run on two GPUs, an NVIDIA H100 and an H200, but not with an adapter.
 */
package io.github.rdma4j.gpudirect;
