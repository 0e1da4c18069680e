// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Files and GPU memory. {@link io.github.rdma4j.gpudirect.storage.GpuStorage} opens files with cuFile, which has
 * GPUDirect Storage and a compatibility mode, or uses pinned host memory if cuFile is missing. A
 * {@link io.github.rdma4j.gpudirect.storage.GpuFile} reports its path, and why no better one works. The same program is
 * correct on all paths.
 *
 * @experimental It has been run on two GPUs, an NVIDIA H100 and an H200, but not with GPUDirect Storage.
 */
package io.github.rdma4j.gpudirect.storage;
