// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedReceives;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairConfig;
import io.github.rdma4j.verbs.SharedReceiveQueue;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.device.DeviceAttributes;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.internal.BiasedLock;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.Engine;
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A completion queue and a shared receive queue for a number of endpoints of the same sizes, with the memory for their
 * messages.
 *
 * <p>Both queues are as long as all places need at once, so neither can overrun. Memory is allocated in chunks of
 * several places, when the first endpoint of a chunk joins. Each place adds as many receive buffers as its endpoint
 * grants credits, and the reserve. They stay for the next endpoint when the endpoint leaves. {@link Member} ensures
 * that no endpoint holds more than its part, so the adapter has a buffer for each message that a peer may send. Free
 * buffers are posted several at a time, for which the share has spare ones: see {@link ReceiveLedger}.
 *
 * <p>Used with one of two locks of {@link SharedQueues}: the lock for polling and arming, or the lock for joining and
 * leaving. The ledger has its own lock, because endpoints return buffers at any time.
 */
public final class QueueShare {
    private static final int BATCH = 32;
    /** How many short receive buffers are posted at a time. */
    private static final int MOST_TOGETHER = 16;

    private static final long TOGETHER_BYTES = 1 << 17;
    /** Receive buffers beyond the places' buffers, to replace buffers that the adapter may have lost. */
    private static final int SPARE = 16;
    /** If so many buffers may be lost, no more members join. */
    private static final int MOST_LOST = SPARE - 4;
    /** Memory is registered in pieces of about this size. */
    private static final long CHUNK_BYTES = 1 << 20;

    private static final int MOST_PLACES_PER_CHUNK = 64;

    /**
     * The sizes of its endpoints.
     *
     * @param buffer the length of the longest message with its sum, in bytes
     * @param trailer the length of the frame behind it, in bytes
     * @param sum the part of the buffer that is for a sum, in bytes
     */
    public record Sizes(int receives, int sends, int sendDepth, int buffer, int trailer, int sum) {
        public static Sizes of(EndpointSettings.Sizes sizes, int trailer) {
            return new Sizes(
                    sizes.receiveQueueDepth(),
                    sizes.sendQueueDepth(),
                    sizes.sendDepth(),
                    sizes.bufferSize(),
                    trailer,
                    sizes.sumBytes());
        }

        long receiveStride() {
            return SendBuffers.stride(buffer + trailer);
        }

        /** {@return how many receive buffers one call posts} */
        int together() {
            return (int) Math.clamp(TOGETHER_BYTES / receiveStride(), 1, MOST_TOGETHER);
        }

        /** {@return the number of extra receive buffers: {@link #SPARE}, and as many as may wait for a call} */
        int spare() {
            return SPARE + together() - 1;
        }

        long sendBytes() {
            return SendBuffers.bytes(sendDepth, buffer, trailer);
        }

        long bytes() {
            return receives * receiveStride() + sendBytes();
        }

        int placesPerChunk() {
            return (int) Math.clamp(CHUNK_BYTES / bytes(), 1, MOST_PLACES_PER_CHUNK);
        }
    }

    private final ProtectionDomain domain;
    private final Sizes sizes;
    private final int places;
    private final CompletionQueue queue;
    private final SharedReceiveQueue receives;

    // With the lock for joining and leaving.
    private final BitSet taken = new BitSet();
    private final ArrayList<MemoryRegion> chunks = new ArrayList<>();
    /** The regions of the chunks and of the spare buffers. */
    private final List<MemoryRegion> regions = new ArrayList<>();

    // With the polling lock.
    private final MemberTable<Member> members = new MemberTable<>();
    private final WorkCompletions completions = WorkCompletions.allocate(BATCH);
    private int count;
    private int next;
    /** A member whose notification of an arrival failed; null if there is none. */
    private Member untold;

    private boolean armed;
    private boolean armedForEnds;

    /** Guards the two below. */
    private final BiasedLock books = new BiasedLock();

    private final ReceiveLedger ledger;
    /** Null until there are buffers. */
    private PreparedReceives prepared;

    /**
     * An error that has interrupted an update of the bookkeeping. The state of the queues is unknown, so all members
     * are lost with it, and no others join. A field, like {@link Engine#fatalError}.
     */
    private volatile Error interrupted;

    private volatile MemorySlice[] rooms = {};
    private volatile Message[] messages = {};

    /**
     * Creates the queues.
     *
     * @param wanted the number of places to create; fewer if the device's queues are too short
     */
    QueueShare(ProtectionDomain domain, CompletionChannel channel, Sizes sizes, int wanted) {
        this.domain = domain;
        this.sizes = sizes;
        this.places = places(domain, sizes, wanted);
        this.ledger = new ReceiveLedger(sizes.together());
        int receiveDepth = places * sizes.receives + sizes.spare();
        this.queue = domain.context()
                .createCompletionQueue(places * sizes.sends + receiveDepth, settings -> settings.channel(channel));
        try {
            this.receives = domain.createSharedReceiveQueue(settings -> settings.maxWorkRequests(receiveDepth));
            addBuffers(sizes.receiveStride() * sizes.spare(), sizes.spare());
            requirePosted();
        } catch (Throwable e) {
            // Also closes the receives of the other queue.
            CloseAll.after(e, this::close);
            throw e;
        }
    }

    private static int places(ProtectionDomain domain, Sizes sizes, int wanted) {
        DeviceAttributes limits = domain.context().attributes();
        int longest = limits.maxSharedReceiveQueueWorkRequests();
        int completions = limits.maxCompletionQueueEntries();
        int spare = sizes.spare();
        int most = Math.min((longest - spare) / sizes.receives, (completions - spare) / (sizes.receives + sizes.sends));
        if (most < 1) {
            throw new IllegalArgumentException(
                    ("an endpoint of a group can have %d receives and %d completions: device %s has shared receive"
                                    + " queues of at most %d and completion queues of at most %d; %s")
                            .formatted(
                                    sizes.receives + spare,
                                    sizes.receives + sizes.sends + spare,
                                    domain.context().device().name(),
                                    longest,
                                    completions,
                                    longest == 0
                                            ? "use endpoints without a group there"
                                            : "lower EndpointConfig.receiveBuffers and sendDepth"));
        }
        return Math.min(wanted, most);
    }

    // ---- Joining and leaving ----

    /** Whether an endpoint can join. */
    boolean hasRoomFor(ProtectionDomain itsDomain, Sizes itsSizes) {
        return domain == itsDomain
                && sizes.equals(itsSizes)
                && taken.cardinality() < places
                && isOpen()
                && !isWornOut();
    }

    private boolean isOpen() {
        return receives.isOpen() && queue.isOpen();
    }

    /** Returns whether too many buffers may be lost, or their number is unknown. */
    private boolean isWornOut() {
        if (interrupted != null) {
            return true;
        }
        books.lock();
        try {
            return ledger.lost() > MOST_LOST;
        } finally {
            books.unlock();
        }
    }

    boolean isEmpty() {
        return taken.isEmpty();
    }

    /** Whether it has no members and no endpoint can join again. */
    boolean isSpent() {
        return isEmpty() && (!isOpen() || isWornOut());
    }

    int size() {
        return taken.cardinality();
    }

    int places() {
        return places;
    }

    /** Takes the lowest place, so that memory is allocated as late as possible. */
    Member join(long number) {
        int place = taken.nextClearBit(0);
        while (place / sizes.placesPerChunk() >= chunks.size()) {
            int placesHere = Math.min(sizes.placesPerChunk(), places - chunks.size() * sizes.placesPerChunk());
            // Before buffers are added: if this failed later, the next join would add the chunk's buffers again.
            chunks.ensureCapacity(chunks.size() + 1);
            chunks.add(addBuffers(placesHere * sizes.bytes(), placesHere * sizes.receives));
            requirePosted();
        }
        Member member = new Member(this, place, number, sizes.receives, sizes.sends);
        taken.set(place);
        return member;
    }

    /** Creates a member's queue pair. */
    void connect(Member member, Function<Consumer<QueuePairConfig>, QueuePair> creation) {
        member.queuePair(creation.apply(settings ->
                settings.completionQueue(queue).sharedReceiveQueue(receives).maxSendWorkRequests(sizes.sends)));
    }

    /** {@return the send buffers of a member's place; they lie behind the receive buffers of its chunk} */
    SendBuffers sendBuffers(Member member) {
        int inChunk = sizes.placesPerChunk();
        int chunk = member.place() / inChunk;
        int placesHere = Math.min(inChunk, places - chunk * inChunk);
        long base = placesHere * sizes.receives * sizes.receiveStride() + member.place() % inChunk * sizes.sendBytes();
        return new SendBuffers(chunks.get(chunk), base, sizes.sendDepth, sizes.buffer, sizes.trailer, sizes.sum);
    }

    /** Registers memory whose first part is for {@code number} receive buffers, which then wait to be posted. */
    private MemoryRegion addBuffers(long bytes, int number) {
        MemoryRegion region = domain.allocateMemory(bytes, AccessFlag.LOCAL_WRITE);
        try {
            books.lock();
            try {
                enter(region, number);
            } finally {
                books.unlock();
            }
        } catch (Throwable e) {
            CloseAll.after(e, region::close);
            throw e;
        }
        return region;
    }

    /**
     * Posts all waiting buffers to the adapter. The next return of buffers retries a refused post; until then its
     * buffers count as lost.
     */
    private void requirePosted() {
        int errno;
        books.lock();
        try {
            errno = postWaiting();
        } finally {
            books.unlock();
        }
        if (errno != 0) {
            throw new VerbsException("ibv_post_srq_recv(" + this + ")", errno, "", "");
        }
    }

    /** Adds the receive buffers of a region. If this fails, nothing was added. */
    private void enter(MemoryRegion region, int number) {
        int first = ledger.count();
        MemorySlice[] grown = Arrays.copyOf(rooms, first + number);
        Message[] grownMessages = new Message[first + number];
        for (int i = 0; i < number; i++) {
            grown[first + i] = region.slice(i * sizes.receiveStride(), sizes.buffer + sizes.trailer);
        }
        List<MemorySlice> added = Arrays.asList(grown).subList(first, first + number);
        ledger.reserve(number);
        regions.add(region);
        try {
            prepared = prepared == null ? receives.prepareReceives(Protocol.RECEIVE, added) : prepared.extend(added);
        } catch (Throwable e) {
            regions.remove(region);
            throw e;
        }
        // Endpoints create messages meanwhile.
        System.arraycopy(messages, 0, grownMessages, 0, first);
        messages = grownMessages;
        rooms = grown;
        ledger.add(number);
    }

    /** Forgets a member whose queue pair is closed: it keeps only what was queued for it. */
    void forget(Member member) {
        if (members.remove(member.queuePair().number(), member) && !member.isPeerClosed()) {
            books.lock();
            try {
                ledger.mayHaveLost();
            } finally {
                books.unlock();
            }
        }
    }

    /** Returns the buffers of a member, of which the program holds no message any more, and frees its place. */
    void leave(Member member) {
        if (member.hasLeft()) {
            return;
        }
        if (isOpen() && interrupted == null) {
            member.giveBack();
            books.lock();
            try {
                // A refusal, for example by a removed adapter, must not keep the place taken.
                postWaiting();
            } finally {
                books.unlock();
            }
        }
        taken.clear(member.place());
        member.leave();
    }

    // ---- Polling ----

    void add(Member member) {
        members.put(member.queuePair().number(), member);
    }

    /** Queues each completion for its member and notifies the member; returns the number of completions. */
    int poll(Sleepers sleepers) {
        if (interrupted != null) {
            loseAll(sleepers);
            return 0;
        }
        if (!queue.isOpen()) {
            return 0;
        }
        if (untold != null) {
            tellUntold(sleepers);
        }
        int total = 0;
        boolean more = true;
        while (more) {
            if (next == count) {
                take();
                total += count;
                more = count == BATCH;
            }
            while (next < count) {
                dispatch(completions.get(next));
                next++;
                if (untold != null) {
                    tellUntold(sleepers);
                }
            }
        }
        return total;
    }

    /** Polls the completion queue. */
    private void take() {
        next = 0;
        count = 0;
        try {
            count = queue.poll(completions);
            noteUsed();
        } catch (Error e) {
            interrupted = e;
            throw e;
        }
    }

    private void loseAll(Sleepers sleepers) {
        members.forEach(member -> {
            if (member.interrupted(interrupted)) {
                member.tell(sleepers);
            }
        });
    }

    /** Records the used buffers of all completions while it holds the lock once. */
    private void noteUsed() {
        if (count == 0) {
            return;
        }
        books.lock();
        try {
            for (int i = 0; i < count; i++) {
                long id = completions.get(i).workRequestId();
                if ((id & Protocol.RECEIVE) != 0) {
                    ledger.used((int) id);
                }
            }
        } finally {
            books.unlock();
        }
    }

    private void tellUntold(Sleepers sleepers) {
        untold.tell(sleepers);
        untold = null;
    }

    /** Queues a completion for its member. One without a member is from a closed queue pair. */
    private void dispatch(WorkCompletion completion) {
        Member member = members.get(completion.queuePairNumber());
        long id = completion.workRequestId();
        boolean receive = (id & Protocol.RECEIVE) != 0;
        // Allocates first: after an OutOfMemoryError the completion is dispatched again.
        Arrivals.Failure failure = member == null || completion.isSuccess() ? null : Member.failure(completion);
        try {
            boolean kept = member != null && member.arrive(completion, id, failure);
            untold = member;
            if (receive && !kept) {
                giveBack((int) id);
            }
        } catch (Error e) {
            interrupted = e;
            throw e;
        }
    }

    /** Arms the queue: later completions raise an event of the channel. Returns whether it was not armed before. */
    boolean arm(boolean ends) {
        // Of the iWARP drivers, siw ignores the peer's solicited flag: there all completions must raise events.
        boolean all = ends || sizes.trailer > 0;
        if (armed && (!all || armedForEnds) || !queue.isOpen()) {
            return false;
        }
        queue.requestNotification(!all);
        armed = true;
        armedForEnds = all;
        return true;
    }

    /** Whether completions of sends raise no event, although other completions do. */
    boolean missesEnds() {
        return armed && !armedForEnds;
    }

    /** Whether an event may be pending. */
    boolean isArmed() {
        return armed;
    }

    /** Makes the next arming request another event, because one may have been taken without notice. */
    void disarm() {
        armed = false;
    }

    /** Records that an event of a queue was taken. */
    void eventCame(CompletionQueue whose) {
        if (whose == queue) {
            armed = false;
        }
    }

    // ---- Buffers ----

    /**
     * Takes a receive buffer back, and posts it with others.
     *
     * @return 0, or the errno if the adapter has refused some; the next call posts them again
     */
    int giveBack(int buffer) {
        books.lock();
        try {
            if (interrupted != null) {
                // The connection is lost next.
                return 0;
            }
            try {
                ledger.free(buffer);
                return ledger.isPostDue() ? postWaiting() : 0;
            } catch (Error e) {
                interrupted = e;
                throw e;
            }
        } finally {
            books.unlock();
        }
    }

    /** Posts all waiting buffers; returns 0 or an errno. With the books' lock, so that both have the same order. */
    private int postWaiting() {
        if (!receives.isOpen()) {
            return Errno.EINVAL;
        }
        int count = ledger.waiting();
        // The list still has the buffers that an earlier call could not post, in the same order.
        for (int i = prepared.size(); i < count; i++) {
            prepared.add(ledger.waiting(i));
        }
        try {
            return prepared.tryPost() ? 0 : Errno.ENOMEM;
        } catch (VerbsException e) {
            return e.errno();
        } finally {
            ledger.posted(count - prepared.size());
        }
    }

    MemorySlice room(int buffer) {
        return rooms[buffer];
    }

    /** {@return the view of a buffer; created when it is first needed} */
    public Message message(int buffer) {
        Message message = messages[buffer];
        if (message == null) {
            MemorySlice room = rooms[buffer];
            message = ACCESS.message(room.region().segment().asSlice(room.offset(), sizes.buffer));
            messages[buffer] = message;
        }
        return message;
    }

    byte[] copy(int buffer, long length) {
        MemorySlice room = rooms[buffer];
        return room.region().segment().asSlice(room.offset(), length).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Closes everything, after all members have left. Call again to retry what failed. */
    void close() {
        List<Runnable> closes = new ArrayList<>();
        if (receives != null) {
            closes.add(receives::close);
        }
        closes.add(queue::close);
        regions.forEach(region -> closes.add(region::close));
        CloseAll.of(closes.toArray(Runnable[]::new));
    }

    /** {@return what it is} */
    @Override
    public String toString() {
        return "queues for %d endpoints on %s"
                .formatted(places, domain.context().device().name());
    }
}
