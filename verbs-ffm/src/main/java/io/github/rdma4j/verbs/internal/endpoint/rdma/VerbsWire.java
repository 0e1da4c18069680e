// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.rdma;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.MemoryWindow;
import io.github.rdma4j.verbs.PreparedRequest;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SendBatch;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.endpoint.TransferException;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.endpoint.engine.ArrivalSink;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointExceptions;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.engine.Link;
import io.github.rdma4j.verbs.internal.endpoint.engine.ReceiveBufferTable;
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Operation;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import io.github.rdma4j.verbs.internal.events.EndpointEndEvent;
import io.github.rdma4j.verbs.internal.events.FailedTransferEvent;
import io.github.rdma4j.verbs.internal.events.Recorder;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** A wire over verbs: a queue pair and its buffers. The subclasses receive its completions. */
public abstract class VerbsWire implements EndpointTransport, ArrivalSink {
    /** The flags of requests that end the peer's sleep; see {@link EndpointTransport#arm}. */
    private static final int FOR_THE_PEER = SendFlags.SIGNALED | SendFlags.SOLICITED;

    private static final int NO_SLOT = -1;
    /** The target of an empty write, which adapters ignore (InfiniBand specification, C9-88). */
    private static final RemoteMemory NOWHERE = new RemoteMemory(0, 0, 0);

    private final VerbsLink link;
    private final QueuePair queuePair;
    private final ReceiveBufferTable received;
    private final SendBuffers buffers;
    private final int inlineSize;
    /** The number of bytes behind each message; 0 if frames are immediate data. */
    private final int trailer;
    /** A part of the id of each send request. */
    private final long tag;
    /** The endpoint's name: both addresses, which a closed link no longer has. */
    private final String name;

    /** The slots of atomic operations that are under way. */
    private final BitSet results = new BitSet();

    /** The windows whose bind requests are not posted yet, by handle. */
    private final Map<Long, MemoryWindow> windows = new HashMap<>();

    /**
     * Posts inline messages, whose bytes are copied from the program directly into the request. Null if a trailer
     * follows each message.
     */
    private final PreparedRequest inline;

    /** The slot of the message that {@link #inline} holds until it is posted; {@link #NO_SLOT} for none. */
    private int inlineSlot = NO_SLOT;

    /** The gathered messages; null if messages are posted at once. */
    private SendBatch batch;

    /** How many messages were posted since {@link #beginBatch}. */
    private int batchPosted;

    private int batchError;

    public VerbsWire(VerbsLink link, ReceiveBufferTable received, SendBuffers buffers, int inlineSize, long tag) {
        this.link = link;
        this.queuePair = link.queuePair();
        this.received = received;
        this.buffers = buffers;
        this.inlineSize = inlineSize;
        this.trailer = link.trailer();
        this.tag = tag;
        this.name = "endpoint " + link;
        this.inline = inlineSize == 0 || buffers.hasTail()
                ? null
                : queuePair.prepare().sendWithImmediate(buffers.nothing(), 0, SendFlags.SOLICITED | SendFlags.INLINE);
    }

    public final VerbsLink link() {
        return link;
    }

    public final SendBuffers sendBuffers() {
        return buffers;
    }

    final boolean hasTrailer() {
        return trailer > 0;
    }

    @Override
    public final void fill(int slot, MemorySegment message) {
        buffers.fill(slot, message);
    }

    @Override
    public final void fill(int slot, ByteBuffer message) {
        buffers.fill(slot, message);
    }

    @Override
    public final void fillNext(int slot, MemorySegment message) {
        inlineSlot = NO_SLOT;
        if (inline == null || message.byteSize() > inlineSize) {
            buffers.fill(slot, message);
        } else {
            inline.data(message);
            inlineSlot = slot;
        }
    }

    @Override
    public final void fillNext(int slot, ByteBuffer message) {
        inlineSlot = NO_SLOT;
        if (inline == null || message.remaining() > inlineSize) {
            buffers.fill(slot, message);
        } else {
            inline.data(message);
            inlineSlot = slot;
        }
    }

    @Override
    public final void lend(int slot, MemorySlice message) {
        buffers.lend(slot, message, name);
    }

    @Override
    public final void cut(int slot, long length) {
        buffers.cut(slot, length);
    }

    @Override
    public final MemorySegment buffer(int slot) {
        return buffers.buffer(slot);
    }

    @Override
    public final ByteBuffer view(int slot) {
        return buffers.view(slot);
    }

    @Override
    public final ByteBuffer arrived(int buffer) {
        return received.arrived(buffer);
    }

    @Override
    public final void beginBatch() {
        batch = queuePair.startBatch();
        batchPosted = 0;
        batchError = 0;
    }

    @Override
    public final int endBatch() {
        try {
            postGathered();
        } finally {
            batch = null;
        }
        return batchPosted;
    }

    /** Posts the gathered messages, unless an earlier one was refused: later ones must not overtake it. */
    private int postGathered() {
        if (batchError == 0) {
            int count = batch.size();
            try {
                batchError = errno(batch.tryPost());
            } catch (VerbsException e) {
                batchError = e.errno();
            }
            batchPosted += count - batch.size();
        }
        return batchError;
    }

    @Override
    public final int batchError() {
        return batchError;
    }

    @Override
    public final boolean canPostUnsignaled() {
        return true;
    }

    @Override
    public final int postMessage(int slot, int frame, boolean signaled) {
        int flags = signaled ? FOR_THE_PEER : SendFlags.SOLICITED;
        if (slot == inlineSlot) {
            return post(Kind.INLINE_MESSAGE, slot, buffers.nothing(), NOWHERE, frame, 0, flags);
        }
        MemorySlice message = buffers.message(slot);
        if (trailer > 0) {
            buffers.frame(slot, frame);
        }
        int inlined = message.length() <= inlineSize && buffers.canCopy(slot) ? SendFlags.INLINE : SendFlags.NONE;
        return post(Kind.MESSAGE, slot, message, NOWHERE, frame, 0, flags | inlined);
    }

    @Override
    public final int postTransfer(
            int slot, Operation operation, MemorySlice local, RemoteMemory remote, long operand, long newValue) {
        return post(Kind.of(operation), slot, local, remote, operand, newValue, SendFlags.SIGNALED);
    }

    /**
     * The kind of request that {@link #post} posts, and the meaning of its two arguments. Messages have no remote
     * memory. Messages that {@link #inline} holds, and atomic operations, have no local memory.
     */
    private enum Kind {
        /** The message that {@link #inline} holds; argument 1 is its frame. */
        INLINE_MESSAGE,
        /** Argument 1 is the frame. */
        MESSAGE,
        WRITE,
        READ,
        /** Argument 1 is the expected value, argument 2 the new one. */
        COMPARE_AND_SWAP,
        /** Argument 1 is the addend. */
        FETCH_AND_ADD,
        /** A read into the slot's word; argument 2 is the number of bytes. */
        GET,
        /** A write of the slot's word; argument 1 is its value, argument 2 the number of bytes. */
        PUT,
        /** Argument 1 is the window's handle, argument 2 the rights. */
        BIND;

        private static final Kind[] OF_OPERATIONS = Arrays.stream(Operation.values())
                .map(operation -> valueOf(operation.name()))
                .toArray(Kind[]::new);

        static Kind of(Operation operation) {
            return OF_OPERATIONS[operation.ordinal()];
        }
    }

    /**
     * Posts any request to the peer. It is deliberately one method, longer than the compiler inlines (325 bytes): it
     * lies up to nine calls below a program's loop, and the JDK's memory accesses are nearly as deep below it. The
     * compiler inlines fifteen levels at most; beyond that, each field of a request costs calls.
     *
     * @return 0 or the errno of a refusal
     */
    private int post(
            Kind kind, int slot, MemorySlice local, RemoteMemory remote, long argument1, long argument2, int flags) {
        long id = tag | slot;
        try {
            if (kind == Kind.INLINE_MESSAGE) {
                inlineSlot = NO_SLOT;
                boolean signaled = (flags & SendFlags.SIGNALED) != 0;
                return errno(
                        inline.immediate((int) argument1).signaled(signaled).tryPost(id));
            }
            if (kind == Kind.MESSAGE) {
                int frame = (int) argument1;
                if (batch == null) {
                    return errno(
                            trailer > 0
                                    ? queuePair.tryPostSend(id, local, flags)
                                    : queuePair.tryPostSendWithImmediate(id, local, frame, flags));
                }
                // An endpoint can have more send buffers than a batch has entries.
                if (batch.size() == batch.capacity() && postGathered() != 0) {
                    return batchError;
                }
                if (trailer > 0) {
                    batch.send(id, local, flags);
                } else {
                    batch.sendWithImmediate(id, local, frame, flags);
                }
                return 0;
            }
            return errno(
                    switch (kind) {
                        case INLINE_MESSAGE, MESSAGE -> throw new AssertionError(kind);
                        case WRITE -> queuePair.tryPostWrite(id, local, remote, flags);
                        case READ -> queuePair.tryPostRead(id, local, remote, flags);
                        case COMPARE_AND_SWAP -> {
                            MemorySlice word = resultWord(slot);
                            yield awaitingResult(
                                    slot,
                                    queuePair.tryPostCompareAndSwap(id, word, remote, argument1, argument2, flags));
                        }
                        case FETCH_AND_ADD ->
                            awaitingResult(
                                    slot, queuePair.tryPostFetchAndAdd(id, resultWord(slot), remote, argument1, flags));
                        case GET -> queuePair.tryPostRead(id, buffers.word(slot, argument2), remote, flags);
                        case PUT -> {
                            buffers.setWord(slot, argument1);
                            yield queuePair.tryPostWrite(id, buffers.word(slot, argument2), remote, flags);
                        }
                        case BIND -> {
                            MemoryWindow window = windows.remove(argument1);
                            yield queuePair.tryPostBindMemoryWindow(
                                    id, window, window.nextRemoteKey(), local, flags, rights(argument2));
                        }
                    });
        } catch (VerbsException e) {
            if (kind == Kind.BIND) {
                // The connection itself is intact and continues.
                throw e;
            }
            return e.errno();
        }
    }

    private static int errno(boolean posted) {
        return posted ? 0 : Errno.ENOMEM;
    }

    /** Prepares the word of a slot for the result of an atomic operation. */
    private MemorySlice resultWord(int slot) {
        buffers.setWord(slot, SendBuffers.NO_RESULT);
        return buffers.word(slot);
    }

    /** Notes whether a slot awaits a result: only if its operation was posted. */
    private boolean awaitingResult(int slot, boolean posted) {
        if (posted) {
            results.set(slot);
        }
        return posted;
    }

    /** Adds a window, which can then be bound by its handle. */
    public final void addWindow(MemoryWindow window) {
        windows.put(window.handle(), window);
    }

    /** Removes a window that was not bound. Returns false if its bind was posted already. */
    public final boolean removeWindow(MemoryWindow window) {
        return windows.values().remove(window);
    }

    /** {@return the rights as a bit mask} */
    public static long mask(Set<AccessFlag> rights) {
        long mask = 0;
        for (AccessFlag right : rights) {
            mask |= 1L << right.ordinal();
        }
        return mask;
    }

    private static AccessFlag[] rights(long mask) {
        return Arrays.stream(AccessFlag.values())
                .filter(flag -> (mask & 1L << flag.ordinal()) != 0)
                .toArray(AccessFlag[]::new);
    }

    @Override
    public final int postControl(long id, int frame) {
        try {
            return errno(
                    trailer > 0
                            ? queuePair.tryPostSend(tag | id, buffers.control(frame), FOR_THE_PEER | SendFlags.INLINE)
                            : queuePair.tryPostSendWithImmediate(tag | id, buffers.nothing(), frame, FOR_THE_PEER));
        } catch (VerbsException e) {
            return e.errno();
        }
    }

    @Override
    public final int postProbe(long id) {
        try {
            return errno(queuePair.tryPostWrite(tag | id, buffers.nothing(), NOWHERE, SendFlags.SIGNALED));
        } catch (VerbsException e) {
            return e.errno();
        }
    }

    @Override
    public final int postReceive(int buffer) {
        return received.post(buffer);
    }

    @Override
    public final int returnReceive(int buffer) {
        return received.giveBack(buffer);
    }

    @Override
    public final int postReturned() {
        return received.postReturned();
    }

    @Override
    public final long word(int slot) {
        return buffers.original(slot);
    }

    @Override
    public final byte[] copy(int buffer, long length) {
        return received.copy(buffer, length);
    }

    @Override
    public final Message message(int buffer, long length) {
        return received.message(buffer, length);
    }

    @Override
    public final void toError() {
        queuePair.toError();
    }

    /**
     * Passes the content of a receive buffer to the protocol.
     *
     * @param byteLength the length of the message and its trailer
     */
    @Override
    public final void giveReceived(
            WireEvents protocol, int buffer, boolean sent, boolean hasImmediate, int immediate, long byteLength) {
        if (trailer > 0) {
            long length = byteLength - trailer;
            boolean framed = length >= 0 && sent;
            protocol.received(buffer, framed, framed ? received.frame(buffer, length) : 0, length);
        } else {
            protocol.received(buffer, hasImmediate && sent, immediate, byteLength);
        }
    }

    /** Reports to the protocol that a send request has completed. */
    @Override
    public final void giveSent(WireEvents protocol, long id) {
        // Control messages and probes have ids above all slots.
        boolean atomic = id <= Integer.MAX_VALUE && results.get((int) id);
        if (!atomic) {
            protocol.sent(id);
            return;
        }
        results.clear((int) id);
        if (buffers.original((int) id) != SendBuffers.NO_RESULT) {
            protocol.sent(id);
            return;
        }
        // SoftRoCE of Linux 6.1 does that when packets overtake each other; what was in the buffer before is no answer.
        String reason = "an atomic operation was reported as done, and the adapter has delivered no value";
        if (Recorder.isThere()) {
            FailedTransferEvent.failed(name, WorkCompletionStatus.SUCCESS, reason);
        }
        TransferException cause = ACCESS.transferException(
                "a transfer of " + protocol,
                WorkCompletionStatus.SUCCESS,
                reason,
                "connect again, and look what the memory holds: the operation may have taken effect. SoftRoCE does this"
                        + " when packets overtake each other");
        protocol.failed(id, reason, cause);
    }

    /**
     * Reports a failure to the protocol.
     *
     * @param description the text of {@link io.github.rdma4j.verbs.WorkCompletion#describe}
     */
    @Override
    public final void giveFailed(
            WireEvents protocol, long id, WorkCompletionStatus status, int vendorError, String description) {
        protocol.failed(
                id, description, EndpointExceptions.causeOfTransfer(name, protocol, status, vendorError, description));
    }

    @Override
    public final void ended(String reason) {
        if (Recorder.isThere()) {
            EndpointEndEvent.ended(name, reason);
        }
    }

    @Override
    public final String lost() {
        return link.lost().orElse(null);
    }

    @Override
    public final <T> Optional<T> ask(Function<Link, Optional<T>> question) {
        return question.apply(link);
    }
}
