// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.PreparedReceive;
import io.github.rdma4j.verbs.PreparedRequest;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.cm.CmEvent;
import io.github.rdma4j.verbs.cm.EventChannel;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;

/**
 * A queue pair that is connected to a Valkey server, with its rings. For one thread at a time. After the connect,
 * nothing here waits or allocates except {@link #close}.
 */
final class ValkeyConnection {
    /** As the server, and as the protocol recommends. */
    static final int RECEIVES = 1024;

    /** With 7, the most, SoftRoCE sends again forever and never reports a dead path. */
    private static final int RETRIES = 6;

    private static final int CONTROLS = 16;
    private static final int SENDS = ValkeyProtocol.MAX_UNANSWERED + 2 * CONTROLS;
    private static final int SEND_BYTES = 512 * 1024;
    /** The longest write: the server starts on the first bytes while the next ones are under way. */
    private static final int LONGEST_WRITE = SEND_BYTES / 4;

    private static final int POLLED_AT_ONCE = 32;
    private static final int MOST_POLLED = 8 * POLLED_AT_ONCE;
    private static final long CONTROL = -1;
    private static final Duration HANDSHAKE_POLL = Duration.ofMillis(100);

    private final SynchronousId id;
    private final EventChannel events;
    private final CompletionChannel channel;
    private final CompletionQueue queue;
    private final ProtectionDomain domain;
    private final WorkCompletions completions = WorkCompletions.allocate(POLLED_AT_ONCE);
    private final ValkeyProtocol protocol;

    private final QueuePair queuePair;
    private final MemoryRegion ownRing;
    private final ByteBuffer ownBytes;
    /** The messages of {@link #RECEIVES} receives, then {@link #CONTROLS} that are sent. */
    private final MemoryRegion controls;

    private final ByteBuffer controlBytes;
    private final PreparedReceive receive;
    private final PreparedRequest control;
    private final MemoryRegion outgoing;
    private final ByteBuffer outgoingBytes;
    /** Null until the peer has announced its ring, like {@link #write}. */
    private PreparedRequest keepalive;

    private PreparedRequest write;

    /** Positions in the stream of outgoing bytes: written, and out of the adapter's hands. */
    private long head;

    private long tail;
    private int writesUnderWay;
    private int controlsUnderWay;
    private int nextControl;

    private boolean registerDue;
    private boolean armed;
    private boolean disconnected;
    private IOException failure;

    /** Takes over a resolved identifier, also if it throws. */
    ValkeyConnection(SynchronousId id, int ringBytes) {
        this.id = id;
        this.events = id.id().channel();
        this.protocol = new ValkeyProtocol(ringBytes);
        try {
            DeviceContext device = id.id().device().orElseThrow();
            domain = device.allocateProtectionDomain();
            channel = device.createCompletionChannel();
            queue = device.createCompletionQueue(RECEIVES + SENDS, config -> config.channel(channel));
            queuePair = id.id()
                    .createQueuePair(
                            domain,
                            config -> config.completionQueue(queue)
                                    .maxSendWorkRequests(SENDS)
                                    .maxReceiveWorkRequests(RECEIVES));
            ownRing = domain.allocateMemory(ringBytes, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
            controls = domain.allocateMemory(
                    (long) (RECEIVES + CONTROLS) * ValkeyProtocol.MESSAGE_BYTES, AccessFlag.LOCAL_WRITE);
            outgoing = domain.allocateMemory(SEND_BYTES, AccessFlag.LOCAL_WRITE);
            ownBytes = ownRing.segment().asByteBuffer();
            controlBytes = controls.segment().asByteBuffer();
            outgoingBytes = outgoing.segment().asByteBuffer();
            receive = queuePair.prepareReceive(controls.slice(0, (long) RECEIVES * ValkeyProtocol.MESSAGE_BYTES));
            control = queuePair
                    .prepare()
                    .length(ValkeyProtocol.MESSAGE_BYTES)
                    .send(controls.slice(), SendFlags.SIGNALED)
                    .workRequestId(CONTROL);
        } catch (Throwable e) {
            release(e);
            throw e;
        }
    }

    // ---- Connecting ----

    /**
     * Connects, and waits for the server's ring.
     *
     * @param server the address, or a name that is resolved here
     * @param from the local address; null for any
     * @throws IOException if the server does not speak the protocol
     * @throws RuntimeException of the verbs, if the connection cannot be made
     */
    static ValkeyConnection connect(InetSocketAddress server, InetSocketAddress from, int ringBytes, Duration timeout)
            throws IOException {
        long end = System.nanoTime() + timeout.toNanos();
        InetSocketAddress address = server.isUnresolved()
                ? new InetSocketAddress(InetAddress.getByName(server.getHostString()), server.getPort())
                : server;
        SynchronousId id = SynchronousId.create(PortSpace.TCP);
        try {
            if (from == null) {
                id.resolve(address, left(end));
            } else {
                id.resolve(from, address, left(end));
            }
        } catch (Throwable e) {
            id.close();
            throw e;
        }
        ValkeyConnection connection = new ValkeyConnection(id, ringBytes);
        try {
            for (int slot = 0; slot < RECEIVES; slot++) {
                connection.postReceive(slot);
            }
            id.connect(config -> config.responderResources(1).initiatorDepth(1).retryCount(RETRIES), left(end));
            connection.shakeHands(end);
        } catch (Throwable e) {
            connection.release(e);
            throw e;
        }
        return connection;
    }

    private static Duration left(long end) {
        return Duration.ofNanos(Math.max(1_000_000, end - System.nanoTime()));
    }

    private void shakeHands(long end) throws IOException {
        protocol.writeFeatures(controlBytes, controlSlot(0), controlSlot(1));
        postControl();
        postControl();
        register();
        while (write == null) {
            Duration left = left(end);
            handle(queue.awaitCompletions(completions, left.compareTo(HANDSHAKE_POLL) < 0 ? left : HANDSHAKE_POLL));
            takeEvents();
            if (failure != null) {
                throw failure;
            }
            if (disconnected) {
                throw new SocketException("the server has closed the connection before it announced its ring");
            }
            if (write == null && System.nanoTime() - end >= 0) {
                throw new ConnectTimeoutException(
                        "the server has accepted the connection, and does not announce a ring: is it Valkey?");
            }
        }
    }

    // ---- Events ----

    CompletionChannel completionChannel() {
        return channel;
    }

    EventChannel events() {
        return events;
    }

    /** Lets the next completion make an event of {@link #completionChannel()}; poll once more after this. */
    void arm() {
        if (!armed) {
            queue.requestNotification(false);
            armed = true;
        }
    }

    /** Takes the event of {@link #completionChannel()}. */
    void takeNotification() {
        if (channel.nextEvent(Duration.ZERO).isPresent()) {
            armed = false;
        }
    }

    /** Takes the events of {@link #events()}. */
    void takeEvents() {
        for (Optional<CmEvent> event = events.poll(); event.isPresent(); event = events.poll()) {
            switch (event.get().type()) {
                case DISCONNECTED -> disconnected = true;
                case DEVICE_REMOVAL -> fail(new SocketException("Connection reset: the RDMA device was removed"));
                default -> {
                    // TIMEWAIT_EXIT and the like: they change nothing.
                }
            }
        }
    }

    /** Handles completions, all of them if the server has ended the connection. Returns how many there were. */
    int poll() {
        int all = 0;
        int count;
        do {
            count = queue.poll(completions);
            handle(count);
            all += count;
        } while (count == POLLED_AT_ONCE && (disconnected || all < MOST_POLLED));
        if (registerDue && failure == null && !disconnected) {
            register();
        }
        return all;
    }

    private void handle(int count) {
        for (int i = 0; i < count && failure == null; i++) {
            handle(completions.get(i));
        }
    }

    private void handle(WorkCompletion completion) {
        if (!completion.isSuccess()) {
            if (!disconnected) {
                fail(new SocketException("Connection reset: " + completion.describe()));
            }
            return;
        }
        try {
            switch (completion.opcode()) {
                case RECEIVE_RDMA_WITH_IMMEDIATE -> {
                    protocol.dataArrived(completion.immediateData());
                    postReceive((int) completion.workRequestId());
                }
                case RECEIVE -> {
                    int slot = (int) completion.workRequestId();
                    if (protocol.controlArrived(
                            controlBytes, slot * ValkeyProtocol.MESSAGE_BYTES, completion.byteLength())) {
                        prepareWrites();
                    }
                    postReceive(slot);
                }
                case RDMA_WRITE, SEND -> sent(completion.workRequestId());
                default -> throw new ProtocolException("an unexpected completion: " + completion.describe());
            }
        } catch (ProtocolException e) {
            fail(e);
        } catch (RuntimeException e) {
            fail(reset(e));
        }
    }

    private void sent(long workRequestId) {
        if (workRequestId == CONTROL) {
            controlsUnderWay--;
        } else {
            tail = workRequestId;
            writesUnderWay--;
        }
    }

    private void postReceive(int slot) {
        if (!disconnected) {
            receive.local((long) slot * ValkeyProtocol.MESSAGE_BYTES, ValkeyProtocol.MESSAGE_BYTES)
                    .tryPost(slot);
        }
    }

    private void prepareWrites() {
        keepalive = queuePair
                .prepare()
                .length(0)
                .write(outgoing.slice(), protocol.peerRing(), SendFlags.SIGNALED)
                .workRequestId(CONTROL);
        write = queuePair
                .prepare()
                .length(0)
                .writeWithImmediate(outgoing.slice(), protocol.peerRing(), 0, SendFlags.SIGNALED);
    }

    private void fail(IOException why) {
        if (failure == null) {
            failure = why;
        }
    }

    private static SocketException reset(RuntimeException cause) {
        return new SocketException("Connection reset: " + cause.getMessage(), cause);
    }

    /** {@return why the connection cannot be used any more; null if it can} */
    IOException failure() {
        return failure;
    }

    /** {@return whether the server has ended the connection; what it wrote before can still be read} */
    boolean isDisconnected() {
        return disconnected;
    }

    // ---- Reading ----

    int readable() {
        return protocol.readable();
    }

    /** Appends bytes of the ring to a buffer: as many as are there and fit. Returns their number. */
    int read(ByteBuf target) {
        int length = Math.min(target.writableBytes(), protocol.readable());
        int from = protocol.readPosition();
        ownBytes.limit(from + length).position(from);
        target.writeBytes(ownBytes);
        protocol.read(length);
        if (protocol.isOwnRingUsedUp() && failure == null && !disconnected) {
            register();
        }
        return length;
    }

    /** Announces the own ring, or leaves that to the next poll. */
    private void register() {
        registerDue = controlsUnderWay == CONTROLS;
        if (!registerDue) {
            protocol.writeRegister(controlBytes, controlSlot(0), ownRing.address(), ownRing.remoteKey());
            postControl();
        }
    }

    /** Returns the offset of a message that is sent next. */
    private int controlSlot(int behind) {
        return (RECEIVES + (nextControl + behind) % CONTROLS) * ValkeyProtocol.MESSAGE_BYTES;
    }

    private void postControl() {
        control.local(controlSlot(0));
        nextControl = (nextControl + 1) % CONTROLS;
        controlsUnderWay++;
        post(control);
    }

    /** Posts a request, or records why the connection has failed. */
    private void post(PreparedRequest request) {
        try {
            if (!request.tryPost()) {
                throw new IllegalStateException("the send queue is full, with %d writes and %d control messages"
                        .formatted(writesUnderWay, controlsUnderWay));
            }
        } catch (RuntimeException e) {
            fail(reset(e));
        }
    }

    // ---- Writing ----

    /**
     * {@return the memory for the next bytes, as much as may be written now; without space if the server has to read
     * first, or the adapter has to send}
     */
    ByteBuffer sendSpace() {
        if (tail == head) {
            // Short requests use the same memory again.
            head = (head + SEND_BYTES - 1) / SEND_BYTES * SEND_BYTES;
            tail = head;
        }
        int from = (int) (head % SEND_BYTES);
        long space = Math.min(SEND_BYTES - from, SEND_BYTES - (head - tail));
        if (writesUnderWay >= SENDS - CONTROLS || write == null || disconnected) {
            space = 0;
        }
        long length = Math.min(Math.min(space, LONGEST_WRITE), protocol.writable());
        return outgoingBytes.limit(from + (int) length).position(from);
    }

    /** Writes the first bytes of {@link #sendSpace()} into the server's ring. */
    void send(int length) throws IOException {
        write.local(head % SEND_BYTES, length)
                .remote(protocol.writePosition())
                .immediate(length)
                .workRequestId(head + length);
        post(write);
        if (failure != null) {
            throw failure;
        }
        protocol.wrote(length);
        head += length;
        writesUnderWay++;
    }

    /**
     * Finds out whether the server's adapter still answers, if nothing is under way. A write of no bytes needs no
     * receive, so it also reaches a server that hangs.
     */
    void keepAlive() {
        if (failure == null && !disconnected && writesUnderWay == 0 && controlsUnderWay == 0) {
            controlsUnderWay++;
            post(keepalive);
        }
    }

    // ---- Closing ----

    SocketAddress localAddress() {
        return id.id().localAddress().orElse(null);
    }

    SocketAddress serverAddress() {
        return id.id().peerAddress().orElse(null);
    }

    /**
     * Ends the connection when the server's adapter has what was written, or the time is over. Waits.
     */
    void close(Duration linger) {
        long end = System.nanoTime() + linger.toNanos();
        Throwable failed = null;
        try {
            while (writesUnderWay > 0 && failure == null && !disconnected && System.nanoTime() - end < 0) {
                handle(queue.awaitCompletions(completions, left(end)));
                takeEvents();
            }
        } catch (RuntimeException e) {
            failed = e;
        }
        release(failed);
    }

    /** Closes the resources that exist. A failure is added to another one, or thrown. */
    private void release(Throwable failed) {
        Throwable first = failed;
        for (AutoCloseable resource : new AutoCloseable[] {id, domain, queue, channel}) {
            try {
                if (resource != null) {
                    resource.close();
                }
            } catch (Exception e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (failed == null && first instanceof RuntimeException e) {
            throw e;
        }
    }
}
