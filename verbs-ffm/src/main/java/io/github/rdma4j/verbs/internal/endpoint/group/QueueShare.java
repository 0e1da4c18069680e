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
import io.github.rdma4j.verbs.SrdQueuePair;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletionOpcode;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.device.DeviceAttributes;
import io.github.rdma4j.verbs.device.EfaCapability;
import io.github.rdma4j.verbs.device.EfaDeviceAttributes;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.internal.BiasedLock;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.Engine;
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A completion queue and a shared receive queue for a number of endpoints of the same sizes, with the memory for their
 * messages. On an Elastic Fabric Adapter, which has no shared receive queues, the endpoints share one SRD queue pair
 * instead, and each datagram carries the number of its member behind the message.
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
     * @param trailer the length of the frame behind it, in bytes; of a datagram, the length of the member's number
     * @param sum the part of the buffer that is for a sum, in bytes
     * @param received the length of the longest message that arrives at once, in bytes
     * @param rnrRetry of SRD queue pairs
     */
    public record Sizes(
            int receives, int sends, int sendDepth, int buffer, int trailer, int sum, int received, int rnrRetry) {
        public static Sizes of(EndpointSettings.Sizes sizes, int trailer) {
            return new Sizes(
                    sizes.receiveQueueDepth(),
                    sizes.sendQueueDepth(),
                    sizes.sendDepth(),
                    sizes.bufferSize(),
                    trailer,
                    sizes.sumBytes(),
                    sizes.bufferSize(),
                    0);
        }

        long receiveStride() {
            return SendBuffers.stride(received + trailer);
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
    /** Null on an Elastic Fabric Adapter. */
    private final SharedReceiveQueue receives;
    /** Null on other adapters. */
    private final SrdQueuePair pair;

    private final int queueKey;
    /** The entries of the shared send queue that each member can always use. */
    private final int entriesOfEach;
    /** The free entries that any member can use. */
    private final AtomicInteger entries = new AtomicInteger();

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
    private Member unnotified;
    /** Whether the notifications of all members failed. */
    private boolean allUnnotified;

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
    /** Whether the shared queue pair has failed. */
    private volatile boolean failed;
    /** Whether the adapter does not end the requests of a member that has left. */
    private volatile boolean spoiled;

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
        EfaDeviceAttributes srd =
                SharedQueues.hasDatagrams(domain.context()) ? domain.context().queryEfa() : null;
        int sends = srd == null ? places * sizes.sends : Math.min(srd.maxSendWorkRequests(), places * sizes.sends);
        this.entriesOfEach = srd == null ? 0 : Math.max(1, sends / (2 * places));
        this.entries.set(sends - places * entriesOfEach);
        this.queueKey = SharedQueues.newQueueKey();
        this.queue =
                domain.context().createCompletionQueue(sends + receiveDepth, settings -> settings.channel(channel));
        try {
            if (srd == null) {
                this.pair = null;
                this.receives = domain.createSharedReceiveQueue(settings -> settings.maxWorkRequests(receiveDepth));
            } else {
                this.receives = null;
                this.pair = domain.createSrdQueuePair(settings -> {
                    settings.completionQueue(queue)
                            .queueKey(queueKey)
                            .maxSendWorkRequests(sends)
                            .maxReceiveWorkRequests(receiveDepth)
                            .maxSendScatterGather(2);
                    if (srd.capabilities().contains(EfaCapability.RNR_RETRY)) {
                        settings.rnrRetry(sizes.rnrRetry);
                    }
                });
            }
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
        int completions = limits.maxCompletionQueueEntries();
        int spare = sizes.spare();
        if (SharedQueues.hasDatagrams(domain.context())) {
            EfaDeviceAttributes srd = domain.context().queryEfa();
            int most = Math.min(
                    Math.min(srd.maxReceiveWorkRequests(), completions - srd.maxSendWorkRequests()) - spare,
                    srd.maxSendWorkRequests() * sizes.receives);
            if (most < sizes.receives) {
                throw new IllegalArgumentException(
                        ("an endpoint of a group can have %d receives: queue pairs of %s have at most %d; lower"
                                        + " EndpointConfig.receiveBuffers or maxMessageSize")
                                .formatted(
                                        sizes.receives + spare,
                                        domain.context().device().name(),
                                        srd.maxReceiveWorkRequests()));
            }
            return Math.min(wanted, most / sizes.receives);
        }
        int longest = limits.maxSharedReceiveQueueWorkRequests();
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
        return receivesAreOpen() && queue.isOpen();
    }

    private boolean receivesAreOpen() {
        return pair == null ? receives.isOpen() : pair.isOpen();
    }

    /** Returns whether too many buffers may be lost, or their number is unknown. */
    private boolean isWornOut() {
        if (interrupted != null || failed || spoiled) {
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

    /** {@return the queue pair of all members; null if each has its own} */
    public SrdQueuePair pair() {
        return pair;
    }

    /** {@return the key of the shared queue pair} */
    public int queueKey() {
        return queueKey;
    }

    int entriesOfEach() {
        return entriesOfEach;
    }

    /** Takes an entry of the send queue that any member can use. Returns false if there is none. */
    boolean takeEntry() {
        int free = entries.get();
        while (free > 0) {
            if (entries.compareAndSet(free, free - 1)) {
                return true;
            }
            free = entries.get();
        }
        return false;
    }

    void giveEntry() {
        entries.incrementAndGet();
    }

    /** Lets no other endpoint join, because a member's requests do not end. */
    void spoil() {
        spoiled = true;
    }

    /** Creates a member's queue pair. */
    void connect(Member member, Function<Consumer<QueuePairConfig>, QueuePair> creation) {
        member.queuePair(creation.apply(settings ->
                settings.completionQueue(queue).sharedReceiveQueue(receives).maxSendWorkRequests(sizes.sends)));
    }

    /** {@return the send buffers of a member's place; they lie behind the receive buffers of its chunk} */
    public SendBuffers sendBuffers(Member member) {
        int inChunk = sizes.placesPerChunk();
        int chunk = member.place() / inChunk;
        int placesHere = Math.min(inChunk, places - chunk * inChunk);
        long base = placesHere * sizes.receives * sizes.receiveStride() + member.place() % inChunk * sizes.sendBytes();
        int trailer = pair == null ? sizes.trailer : 0;
        return new SendBuffers(chunks.get(chunk), base, sizes.sendDepth, sizes.buffer, trailer, sizes.sum);
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
            throw new VerbsException(
                    (pair == null ? "ibv_post_srq_recv(" : "ibv_post_recv(") + this + ")", errno, "", "");
        }
    }

    /** Adds the receive buffers of a region. If this fails, nothing was added. */
    private void enter(MemoryRegion region, int number) {
        int first = ledger.count();
        MemorySlice[] grown = Arrays.copyOf(rooms, first + number);
        Message[] grownMessages = new Message[first + number];
        for (int i = 0; i < number; i++) {
            grown[first + i] = region.slice(i * sizes.receiveStride(), sizes.received + sizes.trailer);
        }
        List<MemorySlice> added = Arrays.asList(grown).subList(first, first + number);
        ledger.reserve(number);
        regions.add(region);
        try {
            prepared = prepared != null
                    ? prepared.extend(added)
                    : pair == null
                            ? receives.prepareReceives(Protocol.RECEIVE, added)
                            : pair.prepareReceives(Protocol.RECEIVE, added);
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
        if (pair != null) {
            members.remove(member.number(), member);
        } else if (members.remove(member.queuePair().number(), member) && !member.isPeerClosed()) {
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
        members.put(pair == null ? member.queuePair().number() : member.number(), member);
    }

    /** Whether a member has this number. */
    boolean hasNumber(int number) {
        return members.get(number) != null;
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
        notifyMembers(sleepers);
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
                notifyMembers(sleepers);
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
                member.notifyArrival(sleepers);
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

    private void notifyMembers(Sleepers sleepers) {
        if (unnotified != null) {
            unnotified.notifyArrival(sleepers);
            unnotified = null;
        }
        if (allUnnotified) {
            members.forEach(member -> member.notifyArrival(sleepers));
            allUnnotified = false;
        }
    }

    /** Queues a completion for its member. One without a member is from a closed queue pair. */
    private void dispatch(WorkCompletion completion) {
        long id = completion.workRequestId();
        boolean receive = (id & Protocol.RECEIVE) != 0;
        Member member = pair == null
                ? members.get(completion.queuePairNumber())
                : receive ? receiver(completion, id) : members.get(Member.numberOf(id));
        // Allocates first: after an OutOfMemoryError the completion is dispatched again.
        Arrivals.Failure failure =
                member == null || completion.isSuccess() ? null : Member.failure(completion, pair != null);
        try {
            if (pair != null && member != null && !receive) {
                member.entryIsFree();
            }
            boolean kept = member != null && member.arrive(completion, id, failure);
            // The next visit takes in the end of a send, unless somebody waits for it or, over SRD, messages do.
            boolean waits = receive || !kept || failure != null || pair != null || member.awaitsEnds();
            unnotified = waits ? member : null;
            if (receive && !kept) {
                giveBack((int) id);
            }
        } catch (Error e) {
            interrupted = e;
            throw e;
        }
    }

    /**
     * Returns the member that a datagram names, if it comes from the member's peer; otherwise null. A failed receive
     * ends the queue pair, and so the connections of all members.
     */
    private Member receiver(WorkCompletion completion, long id) {
        if (!completion.isSuccess()) {
            if (!failed) {
                Arrivals.Failure failure = Member.failure(completion, true);
                members.forEach(each -> each.arrive(completion, id, failure));
                failed = true;
                allUnnotified = true;
            }
            return null;
        }
        MemorySlice room = rooms[(int) id];
        long length = completion.byteLength() - sizes.trailer;
        // A write with immediate data leaves the buffer as it was, whatever length it reports.
        if (completion.opcode() != WorkCompletionOpcode.RECEIVE || length < 0 || length > sizes.received) {
            return null;
        }
        Member member = members.get(Frame.read(room.region().segment(), room.offset() + length));
        return member != null && member.isPeer(completion.sourceQueuePairNumber()) ? member : null;
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
            if (interrupted != null || failed) {
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
        if (!receivesAreOpen()) {
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
            message = ACCESS.message(room.region().segment().asSlice(room.offset(), sizes.received));
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
        if (pair != null) {
            closes.add(pair::close);
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
