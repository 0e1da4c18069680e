// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * RDMA verbs for Java.
 *
 * <h2>The way to a transfer</h2>
 *
 * <ol>
 *   <li>{@link io.github.rdma4j.verbs.Device#list() List} the devices and
 *   {@link io.github.rdma4j.verbs.DeviceContext#open open} one.
 *   <li>{@linkplain io.github.rdma4j.verbs.DeviceContext#allocateProtectionDomain() Allocate a protection domain},
 *       {@linkplain io.github.rdma4j.verbs.ProtectionDomain#registerMemory register memory} in it, and
 *       {@linkplain io.github.rdma4j.verbs.DeviceContext#createCompletionQueue create a completion queue}.
 *   <li>{@linkplain io.github.rdma4j.verbs.ProtectionDomain#prepareQueuePair Prepare a queue pair}. Send its
 *       {@linkplain io.github.rdma4j.verbs.PreparedQueuePair#endpoint() endpoint} to the peer by any means, and
 *       {@linkplain io.github.rdma4j.verbs.PreparedQueuePair#connect connect} it to the peer's.
 *   <li>Post work requests on the {@link io.github.rdma4j.verbs.QueuePair}, one by one or in a
 *       {@link io.github.rdma4j.verbs.SendBatch}, or {@linkplain io.github.rdma4j.verbs.PreparedRequest prepared}
 *       outside the loop, and {@linkplain io.github.rdma4j.verbs.CompletionQueue#poll poll} for their completions.
 * </ol>
 *
 * What devices and ports say of themselves is in {@link io.github.rdma4j.verbs.device}, flow steering in
 * {@link io.github.rdma4j.verbs.flow}, connections by rdma_cm in {@link io.github.rdma4j.verbs.cm}.
 *
 * <h2>Lifetimes</h2>
 *
 * Whatever is open is a {@link io.github.rdma4j.verbs.Resource}. Closing one closes what depends on it first; closing
 * twice does nothing; use after close is an {@link IllegalStateException} from any thread, also when the close comes
 * while a call is under way. What a resource knows of itself (a number, a key, a size) can still be asked. A memory
 * region holds on to its segment, so that an automatic arena does not free registered memory.
 *
 * <h2>Threads</h2>
 *
 * Everything may be called from any thread, posting too, except what is for one thread at a time:
 *
 * <ul>
 *   <li>a {@link io.github.rdma4j.verbs.SendBatch} or {@link io.github.rdma4j.verbs.ReceiveBatch}: it belongs to the
 *   thread that started it at the {@link io.github.rdma4j.verbs.QueuePair} or receive queue
 *   <li>a {@link io.github.rdma4j.verbs.PreparedRequest}, a {@link io.github.rdma4j.verbs.PreparedReceive},
 *       {@link io.github.rdma4j.verbs.PreparedReceives} and a {@link io.github.rdma4j.verbs.RequestPreparation}
 *   <li>a {@link io.github.rdma4j.verbs.TagList}, a {@link io.github.rdma4j.verbs.WorkCompletions} and a
 *       {@link io.github.rdma4j.verbs.SliceList}
 *   <li>a {@link io.github.rdma4j.verbs.PreparedQueuePair}
 *   <li>polling one {@link io.github.rdma4j.verbs.ExtendedCompletionQueue}, and so its
 *       {@link io.github.rdma4j.verbs.CompletionCursor}
 *   <li>what was made in a {@link io.github.rdma4j.verbs.ThreadDomain}
 *   <li>an object that a setter was called on: the configurations, and a {@link io.github.rdma4j.verbs.flow.FlowSpec}
 * </ul>
 *
 * <h2>Waiting</h2>
 *
 * Polling never blocks. Programs that sleep use a {@link io.github.rdma4j.verbs.CompletionChannel}
 * ({@link io.github.rdma4j.verbs.CompletionQueue#awaitCompletions}), or wait for many things at once with an
 * {@link io.github.rdma4j.verbs.EventPoller}. Every wait takes a timeout, ends with an {@link IllegalStateException}
 * when what it waits for is closed, and with a {@link io.github.rdma4j.verbs.WaitInterruptedException} when its thread
 * is interrupted. Virtual threads leave their carriers while they wait; the first such wait starts the only thread that
 * this library ever starts by itself, a daemon.
 *
 * <h2>Errors</h2>
 *
 * What lies outside the program is a {@link io.github.rdma4j.verbs.VerbsException}: the operation, the errno by name,
 * the cause as far as it is known, and the remedy. Mistakes of the caller are the JDK's own exceptions, thrown before
 * the adapter sees them. A full queue and an empty one are return values. Failed work requests say so in their
 * {@link io.github.rdma4j.verbs.WorkCompletion}, with the usual cause.
 *
 * <h2>The hot path</h2>
 *
 * Posting and polling allocate nothing, take no lock and throw nothing in the ordinary course. Make
 * {@link io.github.rdma4j.verbs.MemorySlice} and {@link io.github.rdma4j.verbs.RemoteMemory} slices before a loop, or
 * let the compiler remove them. The checks of the posting calls can be switched off with
 * {@code -Dio.github.rdma4j.verbs.checks=false} in programs that are known to be right.
 */
package io.github.rdma4j.verbs;
