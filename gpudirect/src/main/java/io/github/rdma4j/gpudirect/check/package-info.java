// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * What of GPUDirect RDMA holds on a machine and what does not: findings as data, each with what was seen, what it means
 * and the remedy, and for each pair of GPU and adapter the path that would be taken.
 *
 * <p>{@link io.github.rdma4j.gpudirect.check.GpuDirectCheck} looks; where it looks is injected
 * ({@link io.github.rdma4j.gpudirect.check.CheckSources}). docs/gpudirect-check.md is the manual.
 */
package io.github.rdma4j.gpudirect.check;
