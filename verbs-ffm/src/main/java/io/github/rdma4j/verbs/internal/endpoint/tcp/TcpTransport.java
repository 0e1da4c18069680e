// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.tcp;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.StreamSocket;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.engine.Exposures;
import io.github.rdma4j.verbs.internal.endpoint.engine.Link;
import io.github.rdma4j.verbs.internal.endpoint.engine.MessageFlusher;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Operation;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import io.github.rdma4j.verbs.internal.events.EndpointEndEvent;
import io.github.rdma4j.verbs.internal.events.Recorder;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * The transport of an endpoint over TCP. Threads inside the endpoint do the work of an adapter: they serve the peer's
 * requests, and acknowledge its messages.
 *
 * <p>A message is also complete when the peer's kernel has it ({@link StreamSocket#isAcknowledged}). So a peer whose
 * program makes no calls for a long time delays nothing, as with an adapter. The kernel raises no event for this, so
 * waiting threads and selectors check repeatedly, with growing pauses.
 *
 * <p>Consecutive messages of a thread are gathered for one system call: until they fill half of the peer's buffers, or
 * are long, or {@value #BURST_NANOS} ns have passed, or the thread waits or polls. The first message, and the first
 * message after a message of the peer, is sent at once. {@link MessageFlusher} sends the rest of a burst.
 */
public final class TcpTransport implements EndpointTransport, MessageFlusher.Source {
    /** An acknowledgement waits for so many empty polls for a message that can carry it. */
    private static final int PATIENT_POLLS = 4;
    /** With so many owed acknowledgements, it does not wait. */
    private static final int MOST_OWED = 32;

    /** Limits the reads of a poll: a peer that sends all the time must not keep this side from other work. */
    private static final int MOST_ROUNDS = 32;

    private static final int IDLE_POLLS_PER_CHECK = 64;
    /** The longest time between two messages of a burst, and the longest time for which messages are gathered. */
    private static final long BURST_NANOS = 20_000;
    /** For so many bytes, a system call costs little compared with the copy. */
    private static final int MOST_GATHERED_BYTES = TcpBuffers.STREAM_BUFFER - (1 << 12);

    private static final int MOST_GATHERED = 64;
    /** A thread that needs no read still reads after this time, for the peer's requests. */
    private static final long NANOS_PER_READ = 50_000;

    private static final long NANOS_PER_READ_OF_SLEEPERS = 1_000_000;

    private static final VarHandle SINCE;
    private static final VarHandle BURSTS;

    static {
        try {
            SINCE = MethodHandles.lookup().findVarHandle(TcpTransport.class, "gatheringSince", long.class);
            BURSTS = MethodHandles.lookup().findVarHandle(TcpTransport.class, "bursts", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final long SHORTEST_NAP = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_NAP = TimeUnit.MILLISECONDS.toNanos(64);

    private final TcpLink link;
    private final Exposures grants = new Exposures();
    private final StreamSocket socket;
    private final TcpBuffers buffers;
    private final TcpRequests requests;
    private final TcpOutput output;
    private final TcpInput input;
    private final String name;
    /** The time in which the peer's machine must answer, in milliseconds. */
    private final long patience;
    /** The longest time for which the peer may leave answers unread, in nanoseconds; 0 for no limit. */
    private final long silence;

    private final MemorySegment in;
    private long inFrom;
    private long inTo;
    private boolean batched;
    private int posted;
    /** Sends gathered messages; null if messages are not gathered. */
    private BooleanSupplier flush;
    /** The most messages that are gathered: half of those that may be under way, so that the peer works meanwhile. */
    private final int mostGathered;

    private int gathered;
    private long gatheredBytes;
    /** When the first gathered message was posted; 0 if there is none. Also read without the lock. */
    private long gatheringSince;
    /** The number of bursts. Also read without the lock. */
    private long bursts;

    /** The number of bursts that the flusher has seen; used by the flusher. */
    private long burstsSeen;

    private boolean flusherLeaves;
    private boolean flusherWatches;
    /** Whether a message was sent since the last message of the peer. */
    private boolean inBurst;

    /** When the last message was posted, or the last system call ended. */
    private long lastMessage;

    private long lastRead = System.nanoTime();
    private int pollsWhileOwed;
    private int idlePolls;

    /** Set by {@link #toError()}: everything under way fails at the next poll. */
    private boolean failed;

    private boolean lossReported;

    /** Whether it is armed for a selector, or for a thread that sleeps until the kernel's buffer has space. */
    private boolean armed;

    private boolean armedForWriting;
    private boolean armedForReading;
    /** Whether the kernel reports to a selector without arming, in the armed directions. */
    private boolean reported;
    /** Whether the kernel has reported something that was not read since. */
    private boolean rung;
    /** Whether the next poll is a selector's, and the kernel has reported nothing to it. */
    private boolean readsNothing;

    private long nap = SHORTEST_NAP;
    // For the next sleep. Written with the lock held, and read by the sleeping thread, which also writes them.
    private long longestSleep = Long.MAX_VALUE;
    private long wakeUps;
    private boolean sleepsForRoom;
    /** After which pause a selector checks whether the peer's kernel has the messages; the maximum if it does not. */
    private long selectorNap = Long.MAX_VALUE;
    /** Whether the next poll is between {@link #armToSleep} and {@link #sleep}. */
    private boolean sleepsNext;

    // Also read by other threads while it sleeps.
    private boolean sleeps;
    private boolean sleepsWithoutEnds;

    /**
     * Creates the transport of a connected socket.
     *
     * @param peerBuffers the peer's {@link EndpointConfig#receiveBuffers}
     */
    public TcpTransport(
            TcpLink link, EndpointSettings.Sizes sizes, Duration silenceTimeout, Exposures exposures, int peerBuffers) {
        this.link = link;
        this.socket = link.socket();
        this.name = "endpoint " + link;
        this.silence = Timeouts.nanos(silenceTimeout);
        this.patience = Math.max(1, TimeUnit.NANOSECONDS.toMillis(silence) / 5 * 2);
        this.mostGathered = Math.min(MOST_GATHERED, Math.min(peerBuffers, sizes.sendDepth()) / 2);
        this.buffers = new TcpBuffers(sizes);
        this.in = buffers.input();
        this.requests = new TcpRequests(sizes.sendQueueDepth());
        this.output = new TcpOutput(
                socket, buffers.output(), TcpFrame.answers(peerBuffers), TcpFrame.answers(sizes.receiveBuffers()));
        this.input = new TcpInput(buffers, requests, output, exposures, grants, sizes.bufferSize());
        if (!silenceTimeout.isZero()) {
            socket.keepAlive(silenceTimeout);
        }
    }

    // ---- Posting ----

    @Override
    public void fill(int slot, MemorySegment message) {
        buffers.sends().fill(slot, message);
    }

    @Override
    public void fill(int slot, ByteBuffer message) {
        buffers.sends().fill(slot, message);
    }

    @Override
    public void cut(int slot, long length) {
        buffers.sends().cut(slot, length);
    }

    @Override
    public MemorySegment buffer(int slot) {
        return buffers.sends().buffer(slot);
    }

    @Override
    public ByteBuffer view(int slot) {
        return buffers.sends().view(slot);
    }

    @Override
    public ByteBuffer arrived(int buffer) {
        return buffers.arrived(buffer);
    }

    @Override
    public void beginBatch() {
        batched = true;
        posted = 0;
    }

    @Override
    public int endBatch() {
        batched = false;
        send();
        return posted;
    }

    @Override
    public int batchError() {
        return 0;
    }

    /** Sends posted frames, unless a batch is gathered. */
    private int posted() {
        posted++;
        nap = SHORTEST_NAP;
        if (!batched) {
            send();
        }
        return 0;
    }

    /** Sends posted messages, unless more are expected. */
    private int postedMessage(long length) {
        if (batched || flush == null || mostGathered < 2) {
            return posted();
        }
        posted++;
        nap = SHORTEST_NAP;
        long now = System.nanoTime();
        boolean goesAtOnce = gathered == 0 && (!inBurst || now - lastMessage >= BURST_NANOS);
        inBurst = true;
        lastMessage = now;
        gathered++;
        gatheredBytes += TcpFrame.HEADER + length;
        if (gathered == 1) {
            // Never 0.
            SINCE.setOpaque(this, now | 1);
        }
        if (goesAtOnce
                || gathered >= mostGathered
                || gatheredBytes + length >= MOST_GATHERED_BYTES
                || now - gatheringSince >= BURST_NANOS) {
            send();
            // The time of a system call does not count as a pause between messages.
            lastMessage = System.nanoTime();
        } else {
            BURSTS.setOpaque(this, bursts + 1);
            if (!flusherWatches) {
                MessageFlusher.watch(this);
                flusherWatches = true;
            }
        }
        return 0;
    }

    @Override
    public void gather(BooleanSupplier newFlush) {
        flush = newFlush;
    }

    @Override
    public void flush() {
        flusherWatches &= !flusherLeaves;
        sendGathered();
    }

    private void sendGathered() {
        if (gathered > 0) {
            send();
        }
    }

    @Override
    public boolean isBusy() {
        long now = (long) BURSTS.getOpaque(this);
        boolean busy = now != burstsSeen;
        burstsSeen = now;
        return busy;
    }

    @Override
    public long waitingSince() {
        return (long) SINCE.getOpaque(this);
    }

    @Override
    public boolean flush(boolean last) {
        flusherLeaves = last;
        return flush.getAsBoolean();
    }

    @Override
    public int postMessage(int slot, int frame, boolean signaled) {
        MemorySlice message = buffers.sends().message(slot);
        // Counted before it is queued, here and below: otherwise the peer could acknowledge an uncounted request.
        requests.add(slot, TcpFrame.MESSAGE, null, 0, 0);
        output.message(frame, buffers.memory(), message.offset(), (int) message.length());
        return postedMessage(message.length());
    }

    @Override
    public int postControl(long id, int frame) {
        requests.add(id, TcpFrame.MESSAGE, null, 0, 0);
        output.message(frame, null, 0, 0);
        return posted();
    }

    @Override
    public int postProbe(long id) {
        requests.add(id, TcpFrame.PROBE, null, 0, 0);
        output.probe();
        return posted();
    }

    @Override
    public int postReceive(int buffer) {
        buffers.giveBack(buffer);
        return 0;
    }

    @Override
    public int postTransfer(
            int slot, Operation operation, MemorySlice local, RemoteMemory remote, long operand, long newValue) {
        check(operation, local, remote);
        return switch (operation) {
            case WRITE, READ -> {
                boolean writes = operation == Operation.WRITE;
                yield request(slot, writes ? TcpFrame.WRITE : TcpFrame.READ, remote, (int) local.length(), 0, 0, local);
            }
            case COMPARE_AND_SWAP, FETCH_AND_ADD -> {
                byte kind = operation == Operation.FETCH_AND_ADD ? TcpFrame.FETCH_AND_ADD : TcpFrame.COMPARE_AND_SWAP;
                yield request(slot, kind, remote, 0, operand, newValue, buffers.word(slot));
            }
            case GET -> request(slot, TcpFrame.READ, remote, (int) newValue, 0, 0, buffers.word(slot));
            case BIND -> throw new AssertionError("only a queue pair binds windows");
            case PUT -> {
                buffers.sends().setWord(slot, operand);
                yield request(slot, TcpFrame.WRITE, remote, (int) newValue, 0, 0, buffers.word(slot));
            }
        };
    }

    /** Makes the checks of a queue pair. */
    public static void check(Operation operation, MemorySlice local, RemoteMemory remote) {
        boolean atomic = operation == Operation.COMPARE_AND_SWAP || operation == Operation.FETCH_AND_ADD;
        if (atomic && (remote.length() < Long.BYTES || (remote.address() & Long.BYTES - 1) != 0)) {
            throw new IllegalArgumentException(
                    "an atomic operation works on 8 bytes at a multiple of 8, not on " + remote);
        }
        if (local == null) {
            return;
        }
        if (!local.region().isOpen()) {
            throw new IllegalStateException(local.region() + " is closed");
        }
        if (!local.region().hasSegment()) {
            throw new IllegalArgumentException(
                    local.region() + " is not memory of this process, and over TCP this process copies: use RDMA");
        }
        if (local.length() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a transfer of %d bytes: over TCP one carries at most %d"
                    .formatted(local.length(), Integer.MAX_VALUE));
        }
        if (operation == Operation.READ && !local.region().allows(AccessFlag.LOCAL_WRITE)) {
            throw new IllegalArgumentException(local.region() + " was registered without LOCAL_WRITE");
        }
        if (remote.length() < local.length()) {
            throw new IllegalArgumentException("%d bytes do not fit into %s".formatted(local.length(), remote));
        }
    }

    private int request(
            int slot, byte kind, RemoteMemory remote, int length, long operand, long newValue, MemorySlice local) {
        requests.add(slot, kind, local.region(), local.offset(), length);
        output.request(
                kind, remote.address(), remote.remoteKey(), length, operand, newValue, local.region(), local.offset());
        return posted();
    }

    /**
     * Sends as much as the kernel takes. If its buffer is full, the kernel raises an event when there is space again.
     */
    private void send() {
        if (gathered > 0) {
            gathered = 0;
            gatheredBytes = 0;
            SINCE.setOpaque(this, 0L);
        }
        if (failed) {
            return;
        }
        try {
            int errno = output.send();
            if (errno != 0) {
                output.close();
                link.lose("sending over TCP failed: " + VerbsException.describe(errno), isOfTheWire(errno));
            }
        } catch (IllegalStateException | WrongThreadException e) {
            output.close();
            link.lose("the memory of a transfer cannot be sent any more: " + e.getMessage());
        }
        if (needsSpace() && socket.isOpen()) {
            loseStalledPeer();
            if (reported) {
                report();
            } else if (armed && !armedForWriting) {
                armNow();
            }
            if (sleeps && !sleepsForRoom) {
                // The sleeping thread must also wait for space in the kernel's buffer.
                wakeUp();
            }
        }
    }

    /** Whether received requests wait until the kernel takes an answer. */
    private boolean isPaused() {
        return !failed && input.isPaused();
    }

    /** Whether nothing can be sent before the kernel's buffer has space. */
    private boolean needsSpace() {
        return output.isBlocked() || isPaused();
    }

    /** Loses a peer that does not read its answers: their number is bounded, but not the time for which they wait. */
    private void loseStalledPeer() {
        if (silence > 0 && output.stalled(System.nanoTime(), silence / 4) >= silence) {
            link.lose(
                    "the peer has asked for data and has read none for %s (EndpointConfig.silenceTimeout): no thread of"
                                    .formatted(TimeText.of(Duration.ofNanos(silence)))
                            + " its program is inside its endpoint, or it does not keep to the endpoint protocol");
        }
    }

    // ---- Receiving ----

    @Override
    public boolean isPollDue(long now, boolean sleeps) {
        return now - lastRead >= (sleeps ? NANOS_PER_READ_OF_SLEEPERS : NANOS_PER_READ)
                || !lossReported && lost() != null;
    }

    @Override
    public int poll(WireEvents protocol) {
        sendGathered();
        // The sleep ends at once if there is data, so a read before it would be a useless system call.
        int total = sleepsNext || readsNothing ? parse(protocol) : receive(protocol);
        sleepsNext = false;
        readsNothing = false;
        acknowledge(input.takeUrgent(), total > 0);
        send();
        for (int round = 0; round < MOST_ROUNDS && isPaused() && !output.isFull() && hears(); round++) {
            // The kernel has taken an answer. The requests behind it are buffered already, so no event reports them.
            total += receive(protocol);
            acknowledge(input.takeUrgent(), true);
            send();
        }
        if (total > 0) {
            idlePolls = 0;
        } else if (++idlePolls >= IDLE_POLLS_PER_CHECK) {
            idlePolls = 0;
            total += lookForAcknowledgements(protocol);
        }
        String lost = link.lost().orElse(input.refusal());
        if (lost != null && !lossReported) {
            link.lose(lost);
            protocol.linkLost(lost);
            lossReported = true;
            total++;
        }
        if (reported) {
            report();
        }
        return failed ? total + requests.failAll(protocol) : total;
    }

    private void acknowledge(boolean now, boolean came) {
        int owed = output.owed();
        pollsWhileOwed = owed == 0 || came ? 0 : pollsWhileOwed + 1;
        if (now || owed >= MOST_OWED || pollsWhileOwed >= PATIENT_POLLS) {
            output.acknowledge();
        }
    }

    private int receive(WireEvents protocol) {
        int total = parse(protocol);
        boolean more = true;
        for (int round = 0; more && round < MOST_ROUNDS && hears() && !isPaused(); round++) {
            long buffer = in.byteSize() - inTo;
            long received = socket.receive(in, inTo, buffer);
            lastRead = System.nanoTime();
            // The time of a system call does not count as a pause between messages.
            lastMessage = lastRead;
            if (received > 0) {
                inTo += received;
                total += parse(protocol);
            } else if (received < 0) {
                // If the peer has not read everything, its kernel resets the connection.
                if (received == StreamSocket.END || received == -Errno.ECONNRESET) {
                    String why = output.isAsking()
                            ? ", or this side was outside its endpoint for longer than the peer's silenceTimeout,"
                                    + " with data to read that it had asked for"
                            : "";
                    link.lose("the peer ended the connection without closing its endpoint: its process ended, or it"
                            + " aborted" + why);
                } else {
                    int errno = (int) -received;
                    link.lose("receiving over TCP failed: " + VerbsException.describe(errno), isOfTheWire(errno));
                }
                return total + 1;
            }
            // If the buffer is not full, there is no more data, and another read would be a useless system call.
            more = received == buffer;
        }
        return total;
    }

    private static boolean isOfTheWire(int errno) {
        return errno == Errno.ETIMEDOUT || errno == Errno.EHOSTUNREACH || errno == Errno.ENETUNREACH;
    }

    @Override
    public boolean isLostByTheWire() {
        return link.isLostByTheWire();
    }

    private boolean hears() {
        return !failed && !lossReported && input.refusal() == null;
    }

    /** Takes in the whole frames in the buffer, and moves the rest to its start, also if the protocol throws. */
    private int parse(WireEvents protocol) {
        if (inFrom == inTo && !input.mustPassAgain() || !hears()) {
            return 0;
        }
        // Otherwise an error at the beginning of take would leave the position of the last call.
        input.startAt(inFrom);
        try {
            input.take(in, inFrom, inTo, protocol);
            return input.position() > inFrom ? 1 : 0;
        } finally {
            inBurst &= !input.takeConversing();
            inFrom = input.position();
            if (inFrom > 0) {
                MemorySegment.copy(in, inFrom, in, 0, inTo - inFrom);
                inTo -= inFrom;
                inFrom = 0;
            }
        }
    }

    /** Completes messages that the peer's kernel has. */
    private int lookForAcknowledgements(WireEvents protocol) {
        int total = 0;
        if (requests.isOldestAMessage() && !failed && !output.isBlocked() && socket.isAcknowledged()) {
            while (requests.isOldestAMessage()) {
                requests.finishOldest(protocol);
                total++;
            }
        }
        return total;
    }

    @Override
    public boolean isPeerThere() {
        return !failed && link.lost().isEmpty() && socket.peerAnswers(patience);
    }

    @Override
    public String peerName() {
        return "machine";
    }

    @Override
    public String whyLate() {
        return !failed && !output.isBlocked() && socket.isOpen() && socket.isAcknowledged()
                ? "the peer's machine has the request, and no thread of the peer's program, inside its endpoint, has served"
                        + " it, as one must over TCP"
                : "the peer's machine has not taken all that was sent: no thread of the peer's program is inside its"
                        + " endpoint, as one must be over TCP, or the network is slow";
    }

    @Override
    public Exposures grants() {
        return grants;
    }

    @Override
    public void toError() {
        failed = true;
        output.close();
        if (socket.isOpen()) {
            socket.shutDown();
        }
    }

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

    // ---- Sleeping ----

    @Override
    public void prepareToSleep() {}

    @Override
    public void arm(boolean ends) {
        beforeWaiting(ends);
        if (reported) {
            report();
        } else if (!armed || needsSpace() && !armedForWriting || !isPaused() && !armedForReading) {
            armNow();
        }
    }

    /**
     * A sleeping thread waits for the socket itself and need not arm anything; earlier data also ends the sleep. It
     * must arm only if the kernel's buffer is full, to be woken when there is space.
     */
    @Override
    public void armToSleep(boolean ends) {
        beforeWaiting(ends);
        sleepsWithoutEnds = !ends;
        sleepsForRoom = needsSpace();
        wakeUps = socket.wakeUps(sleepsForRoom);
        if (reported) {
            report();
        } else if (sleepsForRoom) {
            armNow();
        }
        sleeps = true;
        sleepsNext = true;
    }

    private void beforeWaiting(boolean ends) {
        output.acknowledge();
        send();
        longestSleep = Long.MAX_VALUE;
        if (ends && requests.isOldestAMessage()) {
            longestSleep = nap;
            nap = Math.min(2 * nap, LONGEST_NAP);
            // Makes the next poll check at once.
            idlePolls = IDLE_POLLS_PER_CHECK;
        }
    }

    private void armNow() {
        armedForWriting = needsSpace();
        // While reading is paused, unread data would end each sleep at once.
        armedForReading = !isPaused();
        socket.arm(armedForReading, armedForWriting);
        armed = true;
    }

    /** Makes the kernel report what this side waits for. After the end, the kernel would report it forever. */
    private void report() {
        boolean readable = !isPaused();
        boolean writable = needsSpace();
        if (!hears() || !socket.isOpen()) {
            if (armed && socket.isOpen()) {
                socket.reportNothing();
            }
            armed = false;
        } else if (!armed || readable != armedForReading || writable != armedForWriting) {
            socket.report(readable, writable);
            armedForReading = readable;
            armedForWriting = writable;
            armed = true;
        }
    }

    @Override
    public void watch(Runnable arrival) {
        reported = arrival != null;
        selectorNap = Long.MAX_VALUE;
        armed = false;
        rung = true;
        if (reported) {
            report();
        }
    }

    @Override
    public boolean isReported() {
        return reported;
    }

    @Override
    public void beginVisit() {
        readsNothing = reported && !rung;
        rung = false;
    }

    /** Whether nothing is left to do before the kernel reports something. */
    @Override
    public boolean isArmed() {
        return reported && armed && gathered == 0 && output.owed() == 0;
    }

    /** An acknowledgement by the peer's kernel alone raises no event: see {@link #longestSleep}. */
    @Override
    public boolean missesEnds() {
        return sleeps ? sleepsWithoutEnds : reported && nap < selectorNap && requests.isOldestAMessage();
    }

    @Override
    public long nanosToNextArm(boolean ends) {
        selectorNap = ends && requests.isOldestAMessage() ? Math.min(longestSleep, nap) : Long.MAX_VALUE;
        return selectorNap;
    }

    @Override
    public boolean beginCheck() {
        idlePolls = IDLE_POLLS_PER_CHECK;
        return false;
    }

    @Override
    public void sleep(long nanos) {
        if (!socket.await(Math.min(nanos, longestSleep), wakeUps, sleepsForRoom)) {
            throw new WaitInterruptedException("waiting for " + name);
        }
    }

    /** {@inheritDoc} The next poll reads the cause from the socket. */
    @Override
    public boolean awake() {
        if (sleepsForRoom) {
            eventCame();
        }
        sleeps = false;
        sleepsForRoom = false;
        sleepsWithoutEnds = false;
        idlePolls = IDLE_POLLS_PER_CHECK;
        return false;
    }

    @Override
    public void eventCame() {
        if (reported) {
            rung = true;
        } else if (socket.isOpen() && socket.takeEvent()) {
            armed = false;
        }
    }

    @Override
    public Events events() {
        return new Events(link, null);
    }

    @Override
    public void wakeUp() {
        socket.wakeUp();
    }

    // ---- Memory ----

    @Override
    public long word(int slot) {
        return buffers.sends().original(slot);
    }

    @Override
    public byte[] copy(int buffer, long length) {
        return buffers.copy(buffer, length);
    }

    @Override
    public Message message(int buffer, long length) {
        return buffers.message(buffer, length);
    }

    @Override
    public <T> Optional<T> ask(Function<Link, Optional<T>> question) {
        return question.apply(link);
    }

    @Override
    public void close() {
        if (link.isOpen()) {
            sendGathered();
        }
        link.close();
    }

    @Override
    public void free() {
        buffers.close();
    }
}
