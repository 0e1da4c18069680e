// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SendFlags;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/** The way out: messages, and one-sided transfers. Used with the lock of {@link Engine} held. */
final class Sender {
    /** What can be done to exposed memory. */
    enum Operation {
        WRITE,
        READ,
        COMPARE_AND_SWAP,
        FETCH_AND_ADD;

        boolean isAtomic() {
            return this == COMPARE_AND_SWAP || this == FETCH_AND_ADD;
        }
    }

    private record WaitingMessage(MemorySegment message, CompletableFuture<Void> future) {}

    private record WaitingTransfer(
            Operation operation,
            MemorySlice local,
            RemoteMemory remote,
            long operand,
            long newValue,
            CompletableFuture<?> future) {}

    private final Engine engine;
    private final QueuePair queuePair;
    private final SendSlots slots;
    private final Credits credits;
    private final int maxMessage;
    private final int inlineSize;
    private final Queue<WaitingMessage> messages = new ArrayDeque<>();
    private final Queue<WaitingTransfer> transfers = new ArrayDeque<>();

    Sender(Engine engine, int maxMessage, int inlineSize) {
        this.engine = engine;
        this.queuePair = engine.link().queuePair();
        this.slots = engine.slots;
        this.credits = engine.credits;
        this.maxMessage = maxMessage;
        this.inlineSize = inlineSize;
    }

    int maxMessage() {
        return maxMessage;
    }

    private void checkLength(MemorySegment message) {
        if (message.byteSize() > maxMessage) {
            throw new IllegalArgumentException(
                    "a message of %d bytes: this side's and the peer's EndpointConfig.maxMessageSize allow %d; write longer data into exposed memory"
                            .formatted(message.byteSize(), maxMessage));
        }
    }

    /** Sends, or says why not now. */
    int trySend(MemorySegment message) {
        checkLength(message);
        int code = messageCode();
        if (code == Endpoint.NO_CREDIT || code == Endpoint.QUEUE_FULL) {
            engine.progress();
            code = messageCode();
        }
        if (code == Endpoint.OK) {
            post(message, null);
        }
        return code;
    }

    private int messageCode() {
        return switch (engine.state()) {
            case PEER_CLOSED -> Endpoint.CLOSED_BY_PEER;
            case LOST -> throw engine.ended("sending over " + engine);
            // Nobody overtakes those who wait.
            case OPEN ->
                credits.available() == 0 || !messages.isEmpty()
                        ? Endpoint.NO_CREDIT
                        : slots.hasFree() ? Endpoint.OK : Endpoint.QUEUE_FULL;
        };
    }

    void sendAsync(MemorySegment message, CompletableFuture<Void> future) {
        checkLength(message);
        if (engine.state() != Engine.State.OPEN) {
            engine.finished().add(future, null, engine.ended("sending over " + engine));
            return;
        }
        messages.add(new WaitingMessage(message, future));
        engine.progress();
    }

    private void post(MemorySegment message, CompletableFuture<?> future) {
        int slot = slots.take(future, false);
        MemorySlice slice;
        try {
            slice = slots.fill(slot, message);
        } catch (RuntimeException e) {
            // The segment's arena is closed or confined to another thread.
            slots.release(slot);
            throw e;
        }
        int flags = slice.length() <= inlineSize ? SendFlags.SIGNALED | SendFlags.INLINE : SendFlags.SIGNALED;
        credits.spend();
        int frame = Frame.of(Frame.MESSAGE, credits.grant());
        posted(slot, queuePair.postSendWithImmediate(slot, slice, frame, flags));
    }

    private void posted(int slot, int errno) {
        if (errno != 0) {
            engine.postingFailed(errno);
            slots.complete(slot, engine.ended("posting to " + engine), engine.finished());
        }
    }

    /**
     * Posts a transfer whose end is polled for, or says why not now.
     *
     * @param local null for an atomic operation
     * @param operand of a compare-and-swap what is expected, of a fetch-and-add what is added
     */
    int tryTransfer(long id, Operation operation, MemorySlice local, RemoteMemory remote, long operand, long newValue) {
        int code = transferCode();
        if (code == Endpoint.QUEUE_FULL) {
            engine.progress();
            code = transferCode();
        }
        if (code == Endpoint.OK) {
            post(slots.take(id, operation.isAtomic()), operation, local, remote, operand, newValue);
        }
        return code;
    }

    private int transferCode() {
        return switch (engine.state()) {
            case PEER_CLOSED -> Endpoint.CLOSED_BY_PEER;
            case LOST -> throw engine.ended("a transfer of " + engine);
            case OPEN -> transfers.isEmpty() && slots.hasFree() ? Endpoint.OK : Endpoint.QUEUE_FULL;
        };
    }

    /** The same with a future; a transfer for which there is no room waits. */
    void transferAsync(
            CompletableFuture<?> future,
            Operation operation,
            MemorySlice local,
            RemoteMemory remote,
            long operand,
            long newValue) {
        if (engine.state() != Engine.State.OPEN) {
            engine.finished().add(future, null, engine.ended("a transfer of " + engine));
        } else if (transferCode() == Endpoint.OK) {
            post(slots.take(future, operation.isAtomic()), operation, local, remote, operand, newValue);
        } else {
            transfers.add(new WaitingTransfer(operation, local, remote, operand, newValue, future));
            engine.progress();
        }
    }

    private void post(
            int slot, Operation operation, MemorySlice local, RemoteMemory remote, long operand, long newValue) {
        int errno;
        try {
            errno = switch (operation) {
                case WRITE -> queuePair.postWrite(slot, local, remote, SendFlags.SIGNALED);
                case READ -> queuePair.postRead(slot, local, remote, SendFlags.SIGNALED);
                case COMPARE_AND_SWAP ->
                    queuePair.postCompareAndSwap(slot, slots.word(slot), remote, operand, newValue, SendFlags.SIGNALED);
                case FETCH_AND_ADD ->
                    queuePair.postFetchAndAdd(slot, slots.word(slot), remote, operand, SendFlags.SIGNALED);
            };
        } catch (RuntimeException e) {
            // A mistake in the arguments, which the queue pair checks.
            slots.release(slot);
            throw e;
        }
        posted(slot, errno);
    }

    /** Posts what has been waiting, as far as there is room. */
    void flush() {
        while (!transfers.isEmpty() && slots.hasFree() && isOpen()) {
            WaitingTransfer next = transfers.remove();
            try {
                post(
                        slots.take(next.future, next.operation.isAtomic()),
                        next.operation,
                        next.local,
                        next.remote,
                        next.operand,
                        next.newValue);
            } catch (RuntimeException e) {
                engine.finished().add(next.future, null, e);
            }
        }
        while (!messages.isEmpty() && credits.available() > 0 && slots.hasFree() && isOpen()) {
            WaitingMessage next = messages.remove();
            try {
                post(next.message, next.future);
            } catch (RuntimeException e) {
                engine.finished().add(next.future, null, e);
            }
        }
    }

    private boolean isOpen() {
        return engine.state() == Engine.State.OPEN;
    }

    boolean isIdle() {
        return messages.isEmpty() && transfers.isEmpty();
    }

    /** The connection has ended. */
    void ended() {
        abandon(engine.ended("sending over " + engine));
    }

    void abandon(RuntimeException failure) {
        messages.forEach(waiting -> engine.finished().add(waiting.future, null, failure));
        messages.clear();
        transfers.forEach(waiting -> engine.finished().add(waiting.future, null, failure));
        transfers.clear();
    }
}
