// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * How a work request reaches the adapter, and how a completion is found: {@link SendPath}, {@link ReceivePath} and
 * {@link CompletionPath}, below queue pairs and completion queues, which do not know what is behind them. The functions
 * of libibverbs' provider are the one way, the provider's own rings, written and read from Java, the other. A queue
 * pair that was created for it posts with {@code ibv_wr_*} instead: {@link ExtendedPosting}.
 *
 * <p>While a program uses one of the two ways alone, the JVM has one class below each of the three, and makes a direct
 * call of what looks like a choice.
 */
package io.github.rdma4j.verbs.internal.datapath;
