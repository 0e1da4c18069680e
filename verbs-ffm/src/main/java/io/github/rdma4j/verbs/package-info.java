// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * RDMA verbs for Java.
 *
 * <h2>How to transfer data</h2>
 *
 * <ol>
 * <li>{@link io.github.rdma4j.verbs.Device#list() List} the devices and
 *     {@link io.github.rdma4j.verbs.DeviceContext#open open} one.
 * <li>{@linkplain io.github.rdma4j.verbs.DeviceContext#allocateProtectionDomain() Allocate a protection domain},
 *     {@linkplain io.github.rdma4j.verbs.ProtectionDomain#registerMemory register memory} in it, and {@linkplain
 *     io.github.rdma4j.verbs.DeviceContext#createCompletionQueue create a completion queue}.
 * <li>{@linkplain io.github.rdma4j.verbs.ProtectionDomain#prepareQueuePair Prepare a queue pair}. Send its
 *     {@linkplain io.github.rdma4j.verbs.PreparedQueuePair#endpoint() endpoint} to the peer by any means, and
 *     {@linkplain io.github.rdma4j.verbs.PreparedQueuePair#connect connect} it to the peer's.
 * <li>Post work requests on the {@link io.github.rdma4j.verbs.QueuePair}, one by one or in a
 *     {@link io.github.rdma4j.verbs.SendBatch}, or {@linkplain io.github.rdma4j.verbs.PreparedRequest prepared} outside
 *     the loop, and {@linkplain io.github.rdma4j.verbs.CompletionQueue#poll poll} for their completions.
 * </ol>
 *
 * <p>The attributes of devices and ports are in {@link io.github.rdma4j.verbs.device}, flow steering is in
 * {@link io.github.rdma4j.verbs.flow}, and connections by rdma_cm are in {@link io.github.rdma4j.verbs.cm}.
 *
 * <h2>Lifetimes</h2>
 *
 * <p>Every open native object is a {@link io.github.rdma4j.verbs.Resource}. Closing it first closes its dependents;
 * closing it again does nothing. Use after close throws an {@link IllegalStateException} on any thread, also if the
 * close happens during a call. The fixed properties of a resource (a number, a key, a size) can still be read. A memory
 * region keeps its segment reachable, so that an automatic arena does not free registered memory.
 *
 * <h2>Threads</h2>
 *
 * <p>All methods, including posting, may be called from any thread. The following objects are for one thread at a time:
 *
 * <ul>
 * <li>a {@link io.github.rdma4j.verbs.SendBatch} or {@link io.github.rdma4j.verbs.ReceiveBatch}: it belongs to the
 *     thread that started it at the {@link io.github.rdma4j.verbs.QueuePair} or receive queue
 * <li>a {@link io.github.rdma4j.verbs.PreparedRequest}, a {@link io.github.rdma4j.verbs.PreparedReceive},
 *     {@link io.github.rdma4j.verbs.PreparedReceives} and a {@link io.github.rdma4j.verbs.RequestPreparation}
 * <li>a {@link io.github.rdma4j.verbs.TagList}, a {@link io.github.rdma4j.verbs.WorkCompletions} and a
 *     {@link io.github.rdma4j.verbs.SliceList}
 * <li>a {@link io.github.rdma4j.verbs.PreparedQueuePair}
 * <li>polling one {@link io.github.rdma4j.verbs.ExtendedCompletionQueue}, and so its
 *     {@link io.github.rdma4j.verbs.CompletionCursor}
 * <li>resources that were created in a {@link io.github.rdma4j.verbs.ThreadDomain}
 * <li>the configurations, whose setters return the same object, and a {@link io.github.rdma4j.verbs.flow.FlowSpec}
 * </ul>
 *
 * <h2>Waiting</h2>
 *
 * <p>Polling never blocks. Programs that sleep use a {@link io.github.rdma4j.verbs.CompletionChannel}
 * ({@link io.github.rdma4j.verbs.CompletionQueue#awaitCompletions}), or wait for many sources at once with an
 * {@link io.github.rdma4j.verbs.EventPoller}. Every wait takes a timeout. It throws an {@link IllegalStateException}
 * when its source is closed, and a {@link io.github.rdma4j.verbs.WaitInterruptedException} when its thread is
 * interrupted. Virtual threads release their carriers while they wait. The first such wait starts a daemon thread, the
 * only thread that these packages start on their own.
 *
 * <h2>Errors</h2>
 *
 * <p>A failure outside the program throws a {@link io.github.rdma4j.verbs.VerbsException} with the operation, the errno
 * by name, the known cause, and the remedy. Mistakes of the caller throw the JDK's exceptions, before the adapter sees
 * the request. A full or an empty queue is a return value. The {@link io.github.rdma4j.verbs.WorkCompletion} of a
 * failed work request reports the failure, with its usual cause.
 *
 * <h2>The hot path</h2>
 *
 * <p>Posting and polling allocate nothing, take no lock and normally throw nothing. Create
 * {@link io.github.rdma4j.verbs.MemorySlice} and {@link io.github.rdma4j.verbs.RemoteMemory} slices before a loop, or
 * let the compiler remove them. The checks of the posting methods can be turned off with
 * {@code -Dio.github.rdma4j.verbs.checks=false}, for programs without such mistakes.
 */
package io.github.rdma4j.verbs;
