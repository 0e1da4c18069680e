// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;

/** One state machine on a {@link RecordedWire}; what the peer and the adapter do, a test says. */
final class ProtocolSide {
    /** The longest message. */
    static final int LONGEST = 16;

    static final long SILENCE = 5_000_000_000L;
    /** Of the time without a sign until the verdict. */
    static final long PATIENCE = SILENCE / 5 * 2;

    static final EndExceptions ENDS = new EndExceptions() {
        @Override
        public VerbsException closedByPeer(String operation) {
            return new VerbsException(operation, 0, "closed by the peer", "");
        }

        @Override
        public VerbsException lost(String operation, Loss loss) {
            return new VerbsException(operation, 0, loss.reason(), "");
        }
    };

    final RecordedWire wire = new RecordedWire();
    final Protocol protocol;
    private final int buffers;
    private int nextBuffer;

    /** As many places to send as messages that the peer takes. */
    ProtocolSide(int places, int buffers) {
        this(places, buffers, places, true);
    }

    ProtocolSide(int places, int buffers, int peerBuffers, boolean unsignaled) {
        wire.unsignaled = unsignaled;
        this.buffers = buffers + Credits.RESERVE;
        protocol = new Protocol(
                "the peer",
                wire,
                new Credits(buffers, peerBuffers),
                places,
                LONGEST,
                LONGEST,
                new Silence(SILENCE, false),
                ENDS);
    }

    /** Each message is signaled. */
    static ProtocolSide signaling(int places, int credits) {
        return new ProtocolSide(places, 4, credits, false);
    }

    static MemoryRegion region(String text) {
        MemoryRegion region = MemoryRegion.withoutAdapter(text.length(), AccessFlag.LOCAL_WRITE);
        region.segment().copyFrom(text(text));
        return region;
    }

    static List<MemorySegment> texts(String... texts) {
        return Stream.of(texts).map(ProtocolSide::text).toList();
    }

    static MemorySegment text(String text) {
        return MemorySegment.ofArray(text.getBytes());
    }

    /** What a program writes in a place that it has claimed. */
    void write(int slot, String text) {
        wire.buffer(slot).copyFrom(text(text));
    }

    int trySend(String message) {
        return protocol.trySend(text(message));
    }

    Promise<Void> sendAsync(String message) {
        Promise<Void> promise = new Promise<>(null);
        protocol.sendAsync(text(message), promise);
        return promise;
    }

    Promise<Long> transferAsync(Operation operation, long operand) {
        Promise<Long> promise = new Promise<>(null);
        protocol.transferAsync(promise, operation, null, null, operand, 0);
        return promise;
    }

    int tryTransfer(long id, Operation operation) {
        return protocol.tryTransfer(id, operation, null, null, id, 0);
    }

    Promise<byte[]> receiveAsync() {
        Promise<byte[]> promise = new Promise<>(null);
        protocol.request(promise);
        return promise;
    }

    private int nextBuffer() {
        nextBuffer = (nextBuffer + 1) % buffers;
        return nextBuffer;
    }

    /** A message comes, into the next buffer, whose number it gives; with credits. */
    int comes(String message, int credits) {
        int buffer = nextBuffer();
        wire.put(buffer, message.getBytes());
        protocol.received(buffer, true, Frame.of(Frame.MESSAGE, credits), message.length());
        protocol.settle();
        return buffer;
    }

    void comes(String message) {
        comes(message, 0);
    }

    void creditsCome(int credits) {
        protocol.received(nextBuffer(), true, Frame.of(Frame.CREDIT, credits), 0);
        protocol.settle();
    }

    void closeComes() {
        protocol.received(nextBuffer(), true, Frame.of(Frame.CLOSE, 0), 0);
        protocol.settle();
    }

    /** What was posted as one of the first, counted from 0, has arrived. */
    void arrives(int number) {
        protocol.sent(wire.taken.get(number));
        protocol.settle();
    }

    void fails(int number, String reason) {
        protocol.failed(wire.taken.get(number), reason, null);
        protocol.settle();
    }

    /** Completes the decided promises. */
    void complete() {
        Promise<?> promise = protocol.decisions().take();
        while (promise != null) {
            promise.handOver();
            promise = protocol.decisions().take();
        }
    }
}
