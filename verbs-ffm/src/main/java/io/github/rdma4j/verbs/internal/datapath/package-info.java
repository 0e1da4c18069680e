// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The data path: the functions of libibverbs' provider that post work requests and poll completions. A queue pair that
 * was created for extended posting uses {@code ibv_wr_*} instead: {@link ExtendedPosting}.
 */
package io.github.rdma4j.verbs.internal.datapath;
