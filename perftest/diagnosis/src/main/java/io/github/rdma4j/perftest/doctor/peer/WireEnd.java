// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import io.github.rdma4j.perftest.doctor.pair.Failure;
import io.github.rdma4j.perftest.doctor.pair.PeerPort;
import io.github.rdma4j.perftest.doctor.pair.Transport;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.AddressHandle;
import io.github.rdma4j.verbs.AddressHandleAttributes;
import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.Destination;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedQueuePair;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairConfig;
import io.github.rdma4j.verbs.QueuePairEndpoint;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.SrdQueuePair;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.device.AtomicCapability;
import io.github.rdma4j.verbs.device.EfaCapability;
import io.github.rdma4j.verbs.device.EfaDeviceAttributes;
import io.github.rdma4j.verbs.device.Mtu;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * One end of a reliable connection, or of two SRD queue pairs, and its memory: 1 MiB to send from, followed by 1 MiB
 * that the other end sends to, writes to and reads from. Methods return failures on the wire, and throw errors of the
 * library.
 */
final class WireEnd implements AutoCloseable {
    /** The longest message. */
    static final int ROOM = 1 << 20;

    /** 4.096 microseconds times two to the 17th, 0.54 s: a busy virtual machine must not look like a lossy network. */
    static final int ACK_TIMEOUT = 17;

    /** Not 7, which means no limit for SoftRoCE. */
    static final int RETRIES = 6;

    private static final int DEPTH = 16;
    private static final int CHUNK = 64 * 1024;

    private static final int QUEUE_KEY = 0x11111111;
    /** Between two polls of an SRD queue, because the drivers of EFA have had events only for some years. */
    private static final long PAUSE_NANOS = 50_000;

    /** The signaled requests of a queue pair; false if the queue is full. */
    private interface Requests {
        boolean send(MemorySlice from);

        boolean write(MemorySlice from, RemoteMemory to);

        boolean read(MemorySlice to, RemoteMemory from);
    }

    private final DeviceContext context;
    private final ProtectionDomain domain;
    private final CompletionQueue sends;
    private final CompletionQueue receives;
    private final MemoryRegion region;
    private final WorkCompletions completions = WorkCompletions.allocate(DEPTH);
    private final Opened opened = new Opened();
    private final Optional<EfaDeviceAttributes> efa;
    /** Bytes of a receive. */
    private int receiveLength = ROOM;
    /** The port of an SRD queue pair. */
    private int port;

    private PreparedQueuePair prepared;
    private SrdQueuePair srd;
    private QueuePair queuePair;
    private Requests requests;
    private Predicate<MemorySlice> receiver;

    /** Makes an end for reliable connections if efa is empty, and otherwise for SRD. */
    private WireEnd(DeviceContext context, Optional<EfaDeviceAttributes> efa) {
        this.context = context;
        this.efa = efa;
        try {
            this.domain = opened.keep(context.allocateProtectionDomain());
            Optional<CompletionChannel> events =
                    efa.isPresent() ? Optional.empty() : Optional.of(opened.keep(context.createCompletionChannel()));
            this.sends = opened.keep(context.createCompletionQueue(DEPTH, config -> events.ifPresent(config::channel)));
            this.receives =
                    opened.keep(context.createCompletionQueue(DEPTH, config -> events.ifPresent(config::channel)));
            this.region = opened.keep(domain.allocateMemory(2L * ROOM, access()));
        } catch (RuntimeException | Error failure) {
            close();
            throw failure;
        }
    }

    private AccessFlag[] access() {
        List<AccessFlag> flags = new ArrayList<>(List.of(AccessFlag.LOCAL_WRITE));
        if (hasWrites()) {
            flags.add(AccessFlag.REMOTE_WRITE);
        }
        if (hasReads()) {
            flags.add(AccessFlag.REMOTE_READ);
        }
        if (hasAtomics()) {
            flags.add(AccessFlag.REMOTE_ATOMIC);
        }
        return flags.toArray(AccessFlag[]::new);
    }

    /** Returns whether the device has atomic operations. */
    boolean hasAtomics() {
        return context.attributes().atomicCapability() != AtomicCapability.NONE;
    }

    /** Returns whether the device has RDMA writes, which not every EFA has. */
    boolean hasWrites() {
        return efa.isEmpty() || efa.get().capabilities().contains(EfaCapability.RDMA_WRITE);
    }

    /** Returns whether the device has RDMA reads, which not every EFA has. */
    boolean hasReads() {
        return efa.isEmpty() || efa.get().capabilities().contains(EfaCapability.RDMA_READ);
    }

    /**
     * Creates an end that is connected without rdma_cm.
     *
     * @param context the device; it stays open
     * @param port of it, and the GID to use
     */
    static WireEnd prepare(DeviceContext context, PeerPort port) {
        boolean reliableDatagrams = port.transport() == Transport.SRD;
        WireEnd end = new WireEnd(context, reliableDatagrams ? Optional.of(context.queryEfa()) : Optional.empty());
        try {
            if (reliableDatagrams) {
                end.port = port.number();
                end.receiveLength = (int) Math.min(ROOM, context.port(end.port).maxMessageSize());
                end.srd = end.opened.keep(end.domain.createSrdQueuePair(config -> config.sendCompletionQueue(end.sends)
                        .receiveCompletionQueue(end.receives)
                        .maxSendWorkRequests(DEPTH)
                        .maxReceiveWorkRequests(2)
                        .queueKey(QUEUE_KEY)));
                end.receiver = to -> end.srd.tryPostReceive(0, to);
                end.expect();
                return end;
            }
            end.prepared = end.opened.keep(end.domain.prepareQueuePair(QueuePairType.RC, config -> {
                end.configure(config);
                config.port(port.number());
                if (port.transport() == Transport.ROCE) {
                    config.gidIndex(port.gidIndex());
                }
                config.remoteAccess(remote(end));
            }));
            end.receiver = to -> end.prepared.tryPostReceive(0, to);
            end.expect();
            return end;
        } catch (RuntimeException | Error failure) {
            end.close();
            throw failure;
        }
    }

    private static AccessFlag[] remote(WireEnd end) {
        return end.hasAtomics()
                ? new AccessFlag[] {AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC}
                : new AccessFlag[] {AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ};
    }

    /** Creates an end that rdma_cm will connect; the id has a device, and is closed with this. */
    static WireEnd of(SynchronousId id) {
        WireEnd end;
        try {
            end = new WireEnd(id.id().device().orElseThrow(), Optional.empty());
        } catch (RuntimeException | Error failure) {
            id.close();
            throw failure;
        }
        end.opened.keep(id);
        try {
            end.use(id.id().createQueuePair(end.domain, end::configure));
            end.expect();
            return end;
        } catch (RuntimeException | Error failure) {
            end.close();
            throw failure;
        }
    }

    private void configure(QueuePairConfig config) {
        config.sendCompletionQueue(sends)
                .receiveCompletionQueue(receives)
                .maxSendWorkRequests(DEPTH)
                .maxReceiveWorkRequests(2);
    }

    private void use(QueuePair connected) {
        queuePair = connected;
        receiver = to -> connected.tryPostReceive(0, to);
        requests = new Requests() {
            @Override
            public boolean send(MemorySlice from) {
                return connected.tryPostSend(0, from, SendFlags.SIGNALED);
            }

            @Override
            public boolean write(MemorySlice from, RemoteMemory to) {
                return connected.tryPostWrite(0, from, to, SendFlags.SIGNALED);
            }

            @Override
            public boolean read(MemorySlice to, RemoteMemory from) {
                return connected.tryPostRead(0, to, from, SendFlags.SIGNALED);
            }
        };
    }

    /** The handle also lets the peer's reads and writes in. */
    private void use(Destination peer) {
        requests = new Requests() {
            @Override
            public boolean send(MemorySlice from) {
                return srd.tryPostSend(0, from, peer);
            }

            @Override
            public boolean write(MemorySlice from, RemoteMemory to) {
                return srd.tryPostWrite(0, from, to, peer);
            }

            @Override
            public boolean read(MemorySlice to, RemoteMemory from) {
                return srd.tryPostRead(0, to, from, peer);
            }
        };
    }

    /** Returns the address of a queue pair that is connected without rdma_cm. */
    QueuePairEndpoint endpoint() {
        return srd == null
                ? prepared.endpoint()
                : new QueuePairEndpoint(srd.number(), 0, 0, context.gidAddress(port, 0), Mtu.MTU_4096);
    }

    /** Returns the memory that the other end may write and read. */
    RemoteMemory memory() {
        return region.slice(ROOM, ROOM).remoteMemory();
    }

    /** Connects without rdma_cm, or creates the address handle of SRD; sends nothing. */
    void connect(QueuePairEndpoint theirs, Mtu mtu) {
        if (srd != null) {
            AddressHandle address =
                    opened.keep(domain.createAddressHandle(AddressHandleAttributes.toGid(port, 0, theirs.gid())));
            use(Destination.of(address, theirs.queuePairNumber(), QUEUE_KEY));
            return;
        }
        use(prepared.connect(
                theirs,
                config -> config.pathMtu(mtu)
                        .timeout(ACK_TIMEOUT)
                        .retryCount(RETRIES)
                        .rnrRetry(RETRIES)));
    }

    /** Posts a receive for the next message; for the first one it is posted already. */
    void expect() {
        posted(receiver.test(incoming(receiveLength)));
    }

    /** Sends a message, and waits until the other end has it. */
    Optional<Failure> send(int length, int seed, Duration limit) {
        Pattern.fill(outgoing(length).segment(), seed);
        posted(requests.send(outgoing(length)));
        return await(sends, "a send of " + length + " bytes", limit);
    }

    /** Waits for the message that a receive was posted for, and checks it. */
    Optional<Failure> receive(int length, int seed, Duration limit) {
        String what = "a receive of " + length + " bytes";
        Optional<Failure> failure = await(receives, what, limit);
        if (failure.isEmpty() && completions.get(0).byteLength() != length) {
            return Optional.of(Failure.content(what + ": " + completions.get(0).byteLength() + " bytes arrived"));
        }
        return failure.or(() -> check(length, seed));
    }

    /** Writes to the other end's memory. */
    Optional<Failure> write(int length, int seed, RemoteMemory remote, Duration limit) {
        Pattern.fill(outgoing(length).segment(), seed);
        posted(requests.write(outgoing(length), remote.slice(0, length)));
        return await(sends, "an RDMA write of " + length + " bytes", limit);
    }

    /** Reads the other end's memory, and checks the data. */
    Optional<Failure> read(int length, int seed, RemoteMemory remote, Duration limit) {
        posted(requests.read(incoming(length), remote.slice(0, length)));
        return await(sends, "an RDMA read of " + length + " bytes", limit).or(() -> check(length, seed));
    }

    /** Adds one to a number in the other end's memory, and checks the previous value. */
    Optional<Failure> add(long before, RemoteMemory remote, Duration limit) {
        MemorySlice original = incoming(Long.BYTES);
        posted(queuePair.tryPostFetchAndAdd(0, original, remote.slice(0, Long.BYTES), 1, SendFlags.SIGNALED));
        return await(sends, "a fetch-and-add", limit).or(() -> {
            long found = original.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
            return found == before
                    ? Optional.empty()
                    : Optional.of(Failure.content("a fetch-and-add returned " + found + " instead of " + before));
        });
    }

    /** Writes for a time, {@value #CHUNK} bytes each, {@value #DEPTH} at a time. */
    Load load(RemoteMemory remote, Duration length, Duration limit) {
        long begin = System.nanoTime();
        long messages = 0;
        int outstanding = 0;
        while (true) {
            boolean more = System.nanoTime() - begin < length.toNanos();
            while (more && outstanding < DEPTH) {
                posted(requests.write(outgoing(CHUNK), remote.slice(0, CHUNK)));
                outstanding++;
            }
            if (outstanding == 0) {
                return new Load(messages, messages * CHUNK, System.nanoTime() - begin, Optional.empty());
            }
            int count = await(sends, limit);
            if (count == 0) {
                return new Load(
                        messages,
                        messages * CHUNK,
                        System.nanoTime() - begin,
                        Optional.of(Failure.silence(
                                "an RDMA write under load did not complete within " + limit.toSeconds() + " s")));
            }
            for (int i = 0; i < count; i++) {
                if (!completions.get(i).isSuccess()) {
                    Failure failure = failure(completions.get(i), "an RDMA write under load");
                    return new Load(messages, messages * CHUNK, System.nanoTime() - begin, Optional.of(failure));
                }
            }
            messages += count;
            outstanding -= count;
        }
    }

    /**
     * The result of a load test.
     *
     * @param messages that arrived
     * @param bytes in the messages
     * @param nanoseconds its duration
     * @param failure the failure that ended it
     */
    record Load(long messages, long bytes, long nanoseconds, Optional<Failure> failure) {}

    /** Puts a pattern where the other end reads. */
    void fill(int length, int seed) {
        Pattern.fill(incoming(length).segment(), seed);
    }

    /** Puts a number where the other end adds. */
    void number(long value) {
        incoming(Long.BYTES).segment().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value);
    }

    /** Checks the memory that the other end writes for the pattern. */
    Optional<Failure> check(int length, int seed) {
        long wrong = Pattern.firstDifference(incoming(length).segment(), seed);
        return wrong < 0
                ? Optional.empty()
                : Optional.of(Failure.content("byte " + wrong + " of " + length + " differs from the sent byte"));
    }

    private MemorySlice outgoing(int length) {
        return region.slice(0, length);
    }

    private MemorySlice incoming(int length) {
        return region.slice(ROOM, length);
    }

    private static void posted(boolean posted) {
        if (!posted) {
            throw new VerbsException("posting a work request", 0, "the queue is full", "");
        }
    }

    private Optional<Failure> await(CompletionQueue queue, String what, Duration limit) {
        if (await(queue, limit) == 0) {
            return Optional.of(Failure.silence(what + " did not complete within " + limit.toSeconds() + " s"));
        }
        return completions.get(0).isSuccess() ? Optional.empty() : Optional.of(failure(completions.get(0), what));
    }

    private Failure failure(WorkCompletion completion, String what) {
        return srd == null ? Failures.of(completion, what) : Failures.ofEfa(completion, what);
    }

    private int await(CompletionQueue queue, Duration limit) {
        if (srd == null) {
            return queue.awaitCompletions(completions, limit);
        }
        long begin = System.nanoTime();
        int count = queue.poll(completions);
        while (count == 0 && System.nanoTime() - begin < limit.toNanos()) {
            LockSupport.parkNanos(PAUSE_NANOS);
            count = queue.poll(completions);
        }
        return count;
    }

    @Override
    public void close() {
        opened.close();
    }
}
