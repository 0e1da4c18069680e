// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SendBatch;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletionOpcode;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.internal.events.EndpointEndEvent;
import io.github.rdma4j.verbs.internal.events.FailedTransferEvent;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/** The wire of a program: a queue pair, its completion queue, and its buffers. */
final class VerbsCarrier implements Carrier {
    private static final int BATCH = 32;
    /** Ends the peer's sleep, which its own completions need not: see {@link Carrier#arm}. */
    private static final int FOR_THE_PEER = SendFlags.SIGNALED | SendFlags.SOLICITED;
    /** Where a write without bytes goes, which no adapter looks at (InfiniBand specification, C9-88). */
    private static final RemoteMemory NOWHERE = new RemoteMemory(0, 0, 0);

    private final Link link;
    private final QueuePair queuePair;
    private final CompletionQueue queue;
    private final ReceiveBuffers received;
    private final SendBuffers buffers;
    private final int inlineSize;
    /** The bytes behind each message; 0 where frames are immediate data. */
    private final int trailer;
    /** As the endpoint calls itself: both addresses, which a link has no more when it is closed. */
    private final String name;

    private final WorkCompletions completions = WorkCompletions.allocate(BATCH);
    /** What is gathered; null if posts go out at once. */
    private SendBatch batch;

    private int batchError;
    private int count;
    private int next;
    private boolean armed;
    private boolean armedForEnds;
    private EventPoller poller;
    /** What a sleep was ended by; written by whoever sleeps, which is one thread at a time. */
    private boolean queueReady;

    private boolean linkReady;

    VerbsCarrier(Link link, ReceiveBuffers received, SendBuffers buffers, int inlineSize) {
        this.link = link;
        this.queuePair = link.queuePair();
        this.queue = link.queue();
        this.received = received;
        this.buffers = buffers;
        this.inlineSize = inlineSize;
        this.trailer = Frame.trailer(link);
        this.name = "endpoint " + link;
    }

    @Override
    public void fill(int slot, MemorySegment message) {
        buffers.fill(slot, message);
    }

    @Override
    public void cut(int slot, long length) {
        buffers.cut(slot, length);
    }

    @Override
    public MemorySegment room(int slot) {
        return buffers.room(slot);
    }

    @Override
    public void beginBatch() {
        batch = queuePair.startBatch();
    }

    @Override
    public int endBatch() {
        SendBatch gathered = batch;
        batch = null;
        int posted = gathered.post();
        batchError = gathered.error();
        return posted;
    }

    @Override
    public int batchError() {
        return batchError;
    }

    @Override
    public int postMessage(int slot, int frame) {
        MemorySlice slice = buffers.message(slot);
        int flags = slice.length() <= inlineSize ? FOR_THE_PEER | SendFlags.INLINE : FOR_THE_PEER;
        if (trailer > 0) {
            buffers.frame(slot, frame);
            if (batch == null) {
                return queuePair.postSend(slot, slice, flags);
            }
            batch.send(slot, slice, flags);
            return 0;
        }
        if (batch != null) {
            batch.sendWithImmediate(slot, slice, frame, flags);
            return 0;
        }
        return queuePair.postSendWithImmediate(slot, slice, frame, flags);
    }

    @Override
    public int postTransfer(
            int slot, Operation operation, MemorySlice local, RemoteMemory remote, long operand, long newValue) {
        return switch (operation) {
            case WRITE -> queuePair.postWrite(slot, local, remote, SendFlags.SIGNALED);
            case READ -> queuePair.postRead(slot, local, remote, SendFlags.SIGNALED);
            case COMPARE_AND_SWAP -> {
                buffers.setWord(slot, SendBuffers.NO_RESULT);
                yield queuePair.postCompareAndSwap(
                        slot, buffers.word(slot), remote, operand, newValue, SendFlags.SIGNALED);
            }
            case FETCH_AND_ADD -> {
                buffers.setWord(slot, SendBuffers.NO_RESULT);
                yield queuePair.postFetchAndAdd(slot, buffers.word(slot), remote, operand, SendFlags.SIGNALED);
            }
            case GET -> queuePair.postRead(slot, buffers.word(slot, newValue), remote, SendFlags.SIGNALED);
            case PUT -> {
                buffers.setWord(slot, operand);
                yield queuePair.postWrite(slot, buffers.word(slot, newValue), remote, SendFlags.SIGNALED);
            }
        };
    }

    @Override
    public int postControl(long id, int frame) {
        if (trailer > 0) {
            return queuePair.postSend(id, buffers.control(frame), FOR_THE_PEER | SendFlags.INLINE);
        }
        return queuePair.postSendWithImmediate(id, buffers.nothing(), frame, FOR_THE_PEER);
    }

    @Override
    public int postProbe(long id) {
        return queuePair.postWrite(id, buffers.nothing(), NOWHERE, SendFlags.SIGNALED);
    }

    @Override
    public int postReceive(int buffer) {
        return received.post(buffer);
    }

    @Override
    public long word(int slot) {
        return buffers.original(slot);
    }

    @Override
    public byte[] copy(int buffer, long length) {
        return received.copy(buffer, length);
    }

    @Override
    public Message message(int buffer, long length) {
        return received.message(buffer, length);
    }

    @Override
    public void toError() {
        queuePair.toError();
    }

    @Override
    public int poll(Protocol protocol) {
        int total = 0;
        boolean more = true;
        while (more) {
            if (next == count) {
                next = 0;
                count = 0;
                count = queue.poll(completions);
                total += count;
                more = count == BATCH;
            }
            while (next < count) {
                give(completions.get(next), protocol);
                next++;
            }
        }
        return total;
    }

    private void give(WorkCompletion completion, Protocol protocol) {
        long id = completion.workRequestId();
        if (!completion.isSuccess()) {
            fail(id, completion, protocol);
        } else if ((id & Protocol.RECEIVE) != 0 && trailer > 0) {
            long length = completion.byteLength() - trailer;
            boolean framed = length >= 0 && completion.opcode() == WorkCompletionOpcode.RECEIVE;
            protocol.received((int) id, framed, framed ? received.frame((int) id, length) : 0, length);
        } else if ((id & Protocol.RECEIVE) != 0) {
            // A peer can also write with an immediate value, which takes a receive, too.
            boolean framed = completion.hasImmediateData() && completion.opcode() == WorkCompletionOpcode.RECEIVE;
            protocol.received((int) id, framed, completion.immediateData(), completion.byteLength());
        } else if (isAtomic(completion.opcode()) && buffers.original((int) id) == SendBuffers.NO_RESULT) {
            noResult(id, completion, protocol);
        } else {
            protocol.sent(id);
        }
    }

    private static boolean isAtomic(WorkCompletionOpcode opcode) {
        return opcode == WorkCompletionOpcode.FETCH_AND_ADD || opcode == WorkCompletionOpcode.COMPARE_AND_SWAP;
    }

    /** SoftRoCE of Linux 6.1 does that when packets overtake each other; what was in the buffer before is no answer. */
    private void noResult(long id, WorkCompletion completion, Protocol protocol) {
        String reason = "an atomic operation was reported as done, and the adapter has delivered no value";
        FailedTransferEvent.failed(name, completion.status(), reason);
        protocol.failed(id, reason, new TransferException("a transfer of " + protocol, completion.status(), reason));
    }

    private void fail(long id, WorkCompletion completion, Protocol protocol) {
        boolean consequence = completion.status() == WorkCompletionStatus.WR_FLUSH_ERR
                || protocol.state() == Protocol.State.PEER_CLOSED;
        String description = protocol.isOpen() ? completion.describe() : "";
        if (!consequence) {
            FailedTransferEvent.failed(name, completion.status(), description);
        }
        protocol.failed(
                id, description, consequence ? null : new TransferException("a transfer of " + protocol, completion));
    }

    @Override
    public void ended(String reason) {
        EndpointEndEvent.ended(name, reason);
    }

    @Override
    public String lost() {
        return link.lost().orElse(null);
    }

    @Override
    public void prepareToSleep() {
        if (poller == null) {
            poller = openPoller();
        }
    }

    @Override
    public void arm(boolean ends) {
        if (!armed || missesEnds() && ends) {
            // Of iWARP's adapters siw tells nobody of what the peer solicits: there all completions count.
            boolean all = ends || trailer > 0;
            queue.requestNotification(!all);
            armed = true;
            armedForEnds = all;
        }
    }

    @Override
    public boolean missesEnds() {
        return armed && !armedForEnds;
    }

    private EventPoller openPoller() {
        EventPoller opened = EventPoller.open();
        try {
            opened.add(link.channel());
            if (link.events() != null) {
                opened.add(link.events());
            }
            return opened;
        } catch (Throwable e) {
            CloseAll.after(e, opened::close);
            throw e;
        }
    }

    @Override
    public void sleep(long nanos) {
        EventPoller waiting = poller;
        try {
            waiting.select(Duration.ofNanos(nanos), source -> {
                if (source == link.events()) {
                    linkReady = true;
                } else {
                    queueReady = true;
                }
            });
        } catch (IllegalStateException e) {
            // The poller was closed with the endpoint; the caller sees that next.
            if (waiting.isOpen()) {
                throw e;
            }
        }
    }

    @Override
    public boolean awake() {
        if (queueReady) {
            eventCame();
        }
        boolean ask = linkReady || link.events() == null;
        queueReady = false;
        linkReady = false;
        return ask;
    }

    @Override
    public void eventCame() {
        if (link.channel().nextEvent(Duration.ZERO).isPresent()) {
            armed = false;
        }
    }

    @Override
    public Events events() {
        return new Events(link.channel(), link.events());
    }

    @Override
    public void wakeUp() {
        if (poller != null && poller.isOpen()) {
            poller.wakeUp();
        }
    }

    @Override
    public <T> Optional<T> ask(Function<Link, Optional<T>> question) {
        return question.apply(link);
    }

    @Override
    public void close() {
        CloseAll.of(
                () -> {
                    if (poller != null) {
                        poller.close();
                    }
                },
                link::close);
    }

    @Override
    public void free() {
        CloseAll.of(received::close, buffers::close, link::free);
    }
}
