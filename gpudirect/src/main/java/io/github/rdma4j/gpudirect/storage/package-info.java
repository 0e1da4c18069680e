// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Files and device memory. {@link io.github.rdma4j.gpudirect.storage.GpuStorage} opens files for a GPU by cuFile, which
 * has GPUDirect Storage and a compatibility mode, or by pinned host memory where cuFile is not; a
 * {@link io.github.rdma4j.gpudirect.storage.GpuFile} says which, and why not a better one. One program is correct on
 * all paths.
 *
 * @experimental It has been run on two GPUs, an NVIDIA H100 and an H200, but not with GPUDirect Storage.
 */
package io.github.rdma4j.gpudirect.storage;
