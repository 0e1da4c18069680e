/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * nccl.h includes it and uses nothing of it: see cuda_runtime.h.
 */
