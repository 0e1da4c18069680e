// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The data path: how work requests reach the adapter, and how completions are found. {@link SendPath},
 * {@link ReceivePath} and {@link CompletionPath} hide the implementation from queue pairs and completion queues. There
 * are two: the functions of libibverbs' provider, and the provider's rings, which Java reads and writes itself. A queue
 * pair that was created for extended posting uses {@code ibv_wr_*} instead: {@link ExtendedPosting}.
 *
 * <p>As long as a program uses only one of them, the JVM has loaded one subclass of each of the three classes, and
 * compiles the virtual calls to direct calls.
 */
package io.github.rdma4j.verbs.internal.datapath;
