// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.srd;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.Destination;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SliceList;
import io.github.rdma4j.verbs.SrdQueuePair;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.device.EfaCapability;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointExceptions;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.engine.Link;
import io.github.rdma4j.verbs.internal.endpoint.engine.MessageFlusher;
import io.github.rdma4j.verbs.internal.endpoint.engine.ReceiveBufferTable;
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Operation;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import io.github.rdma4j.verbs.internal.events.EndpointEndEvent;
import io.github.rdma4j.verbs.internal.events.Recorder;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * The wire of an endpoint over SRD: {@link SrdOrdering} with a queue pair and its buffers. Subclasses take the
 * completions, and sleep.
 *
 * <p>A request that waits for earlier ones is posted by the next poll, or by {@link MessageFlusher} if no thread polls.
 */
abstract class SrdWire implements EndpointTransport, SrdOrdering.Datagrams, MessageFlusher.Source {
    private static final int NO_SLOT = -1;

    /** A request that has failed and was not reported yet. */
    record Failure(long id, WorkCompletionStatus status, int vendorError, String description) {}

    final SrdLink link;
    final SrdOrdering ordering;
    private final SrdQueuePair pair;
    private final Destination destination;
    private final Set<EfaCapability> capabilities;
    private final SendBuffers sends;
    private final ReceiveBufferTable receives;
    private final LongMessages longs;
    private final String name;
    /** Where the number of the peer's member is, if datagrams carry it; otherwise null. */
    private final MemorySlice member;

    private final SliceList numbered = SliceList.allocate(2);
    /** The arguments of transfers, by place. */
    private final MemorySlice[] locals;

    private final RemoteMemory[] remotes;
    private final ArrayDeque<Failure> failures = new ArrayDeque<>();
    private int posted;
    /** Posts what waits; null before the endpoint is complete. */
    private BooleanSupplier flush;
    /** The {@link System#nanoTime} since which a request waits; 0 if none waits. Also read without the lock. */
    private volatile long waitingSince;

    private boolean isWatched;
    private boolean flusherLeaves;

    SrdWire(
            SrdLink link,
            SendBuffers sends,
            ReceiveBufferTable receives,
            LongMessages longs,
            EndpointSettings.Sizes sizes,
            int sendDepth,
            int fragment) {
        this.link = link;
        this.pair = link.pair();
        this.destination = link.destination();
        this.capabilities = pair.deviceAttributes().capabilities();
        this.sends = sends;
        this.receives = receives;
        this.longs = longs;
        this.name = "endpoint " + link;
        this.member =
                link.peer().member() == 0 ? null : sends.control(link.peer().member());
        this.ordering = new SrdOrdering(
                this,
                sizes.sendQueueDepth(),
                sendDepth,
                fragment,
                sizes.receiveQueueDepth(),
                link.receives(),
                longs.longest());
        int places = SrdOrdering.places(sizes.sendQueueDepth());
        locals = new MemorySlice[places];
        remotes = new RemoteMemory[places];
    }

    // ---- Posting ----

    @Override
    public void fill(int slot, MemorySegment message) {
        sends.fill(slot, message);
    }

    @Override
    public void fill(int slot, ByteBuffer message) {
        sends.fill(slot, message);
    }

    @Override
    public void lend(int slot, MemorySlice message) {
        sends.lend(slot, message, name);
    }

    @Override
    public void cut(int slot, long length) {
        sends.cut(slot, length);
    }

    @Override
    public MemorySegment buffer(int slot) {
        return sends.buffer(slot);
    }

    @Override
    public ByteBuffer view(int slot) {
        return sends.view(slot);
    }

    @Override
    public void beginBatch() {
        posted = 0;
    }

    @Override
    public int endBatch() {
        return posted;
    }

    @Override
    public int batchError() {
        return 0;
    }

    @Override
    public int postMessage(int slot, int frame, boolean signaled) {
        posted++;
        ordering.message(slot, slot, frame, sends.message(slot).length());
        return watched();
    }

    @Override
    public int postControl(long id, int frame) {
        ordering.message(id, NO_SLOT, frame, 0);
        return watched();
    }

    /** Has the flusher post what waits. */
    private int watched() {
        boolean waits = ordering.isWaiting();
        if (waits != (waitingSince != 0)) {
            waitingSince = waits ? System.nanoTime() | 1 : 0;
        }
        if (waits && !isWatched && flush != null) {
            MessageFlusher.watch(this);
            isWatched = true;
        }
        return 0;
    }

    @Override
    public void gather(BooleanSupplier newFlush) {
        flush = newFlush;
    }

    @Override
    public boolean isBusy() {
        return waitingSince != 0;
    }

    @Override
    public long waitingSince() {
        return waitingSince;
    }

    @Override
    public boolean flush(boolean last) {
        flusherLeaves = last;
        return flush.getAsBoolean();
    }

    @Override
    public void flush() {
        isWatched &= !flusherLeaves;
        if (waitingSince != 0) {
            try {
                takeMore();
                ordering.post();
            } catch (VerbsException | IllegalStateException e) {
                // The next poll fails in the same way, in a thread of the program.
                waitingSince = 0;
                return;
            }
            watched();
        }
    }

    /** {@inheritDoc} The kernels probe each other over TCP instead. */
    @Override
    public int postProbe(long id) {
        ordering.nothing(id);
        return 0;
    }

    @Override
    public int postTransfer(
            int slot, Operation operation, MemorySlice local, RemoteMemory remote, long operand, long newValue) {
        switch (operation) {
            case WRITE, READ -> transfer(slot, operation == Operation.WRITE, local, remote);
            case GET -> transfer(slot, false, sends.word(slot, newValue), remote);
            case PUT -> {
                sends.setWord(slot, operand);
                transfer(slot, true, sends.word(slot, newValue), remote);
            }
            case COMPARE_AND_SWAP, FETCH_AND_ADD ->
                throw new UnsupportedVerbException(
                        "an atomic operation over " + name,
                        Errno.EOPNOTSUPP,
                        "an EFA has no atomic operations",
                        "have the peer's program change the value, after a message");
            case BIND -> throw new AssertionError("an EFA has no windows");
        }
        return 0;
    }

    private void transfer(int slot, boolean write, MemorySlice local, RemoteMemory remote) {
        requireTransfer(write, local, remote);
        int place = ordering.nextPlace();
        locals[place] = local;
        remotes[place] = remote;
        ordering.transfer(slot, write, remote.address(), local.length());
        watched();
    }

    /** Makes the checks of a queue pair: the request may be posted later. */
    private void requireTransfer(boolean write, MemorySlice local, RemoteMemory remote) {
        String operation = write ? "an RDMA write" : "an RDMA read";
        EfaCapability needed = write ? EfaCapability.RDMA_WRITE : EfaCapability.RDMA_READ;
        if (!capabilities.contains(needed)) {
            throw new UnsupportedVerbException(
                    operation + " over " + name,
                    Errno.EOPNOTSUPP,
                    "efadv_query_device does not report %s, which needs rdma-core %d or later and an adapter that has it"
                            .formatted(needed, needed.rdmaCoreVersion()));
        }
        sends.requireUsable(local, name);
        if (local.length() > pair.deviceAttributes().maxRdmaSize()) {
            throw new IllegalArgumentException("%s of %d bytes: the adapter moves at most %d"
                    .formatted(
                            operation, local.length(), pair.deviceAttributes().maxRdmaSize()));
        }
        if (local.length() > remote.length()) {
            throw new IllegalArgumentException("%d bytes do not fit into %s".formatted(local.length(), remote));
        }
        if (!write && !local.region().allows(AccessFlag.LOCAL_WRITE)) {
            throw new IllegalArgumentException(local.region() + " was registered without LOCAL_WRITE");
        }
    }

    /** Returns whether the send queue has an entry for this endpoint; if not, it asks again later. */
    abstract boolean mayPost();

    /** Gives the entry back: the request was refused. */
    abstract void notPosted();

    /** {@return the work-request id for a place} */
    abstract long idOf(int post);

    @Override
    public boolean send(int post, int slot, long offset, int length, int immediate) {
        if (!mayPost()) {
            return false;
        }
        try {
            MemorySlice part = slot == NO_SLOT ? sends.nothing() : part(sends.message(slot), offset, length);
            boolean inline = length <= pair.maxInlineData() && (slot == NO_SLOT || sends.canCopy(slot));
            return accepted(send(idOf(post), part, inline, immediate));
        } catch (RuntimeException e) {
            return refused(e.getMessage());
        }
    }

    private boolean send(long id, MemorySlice part, boolean inline, int immediate) {
        if (member != null) {
            numbered.clear();
            if (part.length() > 0) {
                numbered.add(part);
            }
            return pair.tryPostSendWithImmediate(id, numbered.add(member), immediate, destination);
        }
        return inline
                ? pair.tryPostInlineSendWithImmediate(id, part, immediate, destination)
                : pair.tryPostSendWithImmediate(id, part, immediate, destination);
    }

    private static MemorySlice part(MemorySlice message, long offset, int length) {
        return length == message.length() ? message : message.slice(offset, length);
    }

    @Override
    public boolean transfer(int post, boolean writes) {
        if (!mayPost()) {
            return false;
        }
        MemorySlice local = locals[post];
        RemoteMemory remote = remotes[post];
        try {
            return accepted(
                    writes
                            ? pair.tryPostWrite(idOf(post), local, remote, destination)
                            : pair.tryPostRead(idOf(post), local, remote, destination));
        } catch (RuntimeException e) {
            return refused(e.getMessage());
        }
    }

    private boolean accepted(boolean accepted) {
        return accepted || refused("the send queue is full");
    }

    private boolean refused(String reason) {
        notPosted();
        ordering.refused(reason);
        return false;
    }

    @Override
    public int postReceive(int buffer) {
        ordering.release(buffer);
        return postReturned();
    }

    @Override
    public int returnReceive(int buffer) {
        ordering.release(buffer);
        return 0;
    }

    @Override
    public int postReturned() {
        return receives.postReturned();
    }

    @Override
    public void giveBack(int receive) {
        receives.giveBack(receive);
    }

    @Override
    public void copy(int receive, int length, int buffer, long offset) {
        longs.add(receives.arrived(receive), length, buffer, offset);
    }

    @Override
    public ByteBuffer arrived(int buffer) {
        int receive = ordering.receiveOf(buffer);
        return receive >= 0 ? receives.arrived(receive) : longs.arrived(buffer);
    }

    @Override
    public Message message(int buffer, long length) {
        int receive = ordering.receiveOf(buffer);
        return receive >= 0 ? receives.message(receive, length) : longs.message(buffer, length);
    }

    @Override
    public byte[] copy(int buffer, long length) {
        int receive = ordering.receiveOf(buffer);
        return receive >= 0 ? receives.copy(receive, length) : longs.copy(buffer, length);
    }

    @Override
    public long word(int slot) {
        return sends.original(slot);
    }

    @Override
    public void toError() {
        ordering.breakOff();
        endRequests();
    }

    /** Has the adapter end the requests that are under way. */
    abstract void endRequests();

    // ---- Completions ----

    @Override
    public int poll(WireEvents protocol) {
        int total = takeAll() + give(protocol);
        if (total > 0) {
            postWaiting();
        }
        return total;
    }

    /** Takes in all completions. After an exception, the next call takes the rest. */
    abstract int takeAll();

    /** As {@link #takeAll}, and asks the adapter in any case. */
    int takeMore() {
        return takeAll();
    }

    /** Records a failure, which {@link #poll} reports. */
    final void fail(long id, WorkCompletionStatus status, int vendorError, String description) {
        failures.add(new Failure(id, status, vendorError, ordering.isBroken() ? "" : description));
    }

    /** Passes arrivals and completions to the protocol, and failures last: the peer may have closed before them. */
    private int give(WireEvents protocol) {
        if (!failures.isEmpty()) {
            // Of the two rings of a queue, this poll may have read the one of the arrivals first.
            takeMore();
        }
        int total = ordering.deliver(protocol) + ordering.report(protocol);
        if (!failures.isEmpty()) {
            String lost = link.lost().orElse(null);
            if (lost != null) {
                protocol.linkLost(lost);
            }
            while (!failures.isEmpty()) {
                giveFailure(protocol, failures.peek());
                failures.remove();
            }
            total += ordering.report(protocol);
        }
        return total;
    }

    /** Posts what waits. */
    final void postWaiting() {
        ordering.post();
        watched();
    }

    private void giveFailure(WireEvents protocol, Failure failure) {
        VerbsException cause = EndpointExceptions.causeOfTransfer(
                name, protocol, failure.status, failure.vendorError, failure.description);
        if ((failure.id & Protocol.RECEIVE) == 0) {
            ordering.failed((int) failure.id, failure.description, cause, protocol);
        } else {
            protocol.failed(failure.id, failure.description, cause);
        }
    }

    // ---- The end ----

    @Override
    public void ended(String reason) {
        if (Recorder.isThere()) {
            EndpointEndEvent.ended(name, reason);
        }
    }

    @Override
    public String lost() {
        return link.lost().orElse(null);
    }

    @Override
    public <T> Optional<T> ask(Function<Link, Optional<T>> question) {
        return question.apply(link);
    }

    @Override
    public void free() {
        CloseAll.of(longs::close, sends::close, link::free);
    }
}
