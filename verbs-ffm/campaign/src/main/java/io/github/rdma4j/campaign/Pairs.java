// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.PreparedQueuePair;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairAttribute;
import io.github.rdma4j.verbs.QueuePairEndpoint;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.SendOperation;
import io.github.rdma4j.verbs.WorkCompletion;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Connected queue pairs: messages, and at the same time writes, additions and reads in the other's memory. A message
 * that the adapter reports as sent has arrived.
 */
final class Pairs extends RawTalk {
    /** 4.096 us x 2^17, 0.54 s. */
    private static final int TIMEOUT = 17;
    /** Not 7: SoftRoCE does not count down from it, and retransmits forever. */
    private static final int RETRIES = 6;
    /**
     * When to give up a peer that does not acknowledge: twice the time of the two numbers. An adapter may take four
     * times as long; SoftRoCE restarts its timer with each packet that it sends.
     */
    static final long SILENCE_MILLIS = 2 * (RETRIES + 1) * 537;

    private static final int LARGEST = 4096;
    private static final int MESSAGES = 16;
    private static final int MEMORY = 1 << 16;
    private static final int LARGEST_TRANSFER = 8192;
    /** After the memory, not read by any check. */
    private static final int SPARE = Long.BYTES;

    /** The initial bytes at the target of a read. */
    private static final byte UNTOUCHED = (byte) 0xa5;

    private static final long PROBE_MILLIS = 100;

    private static final int WRITE_AT = SEND_SLOTS * LARGEST;
    private static final int READ_AT = WRITE_AT + LARGEST_TRANSFER;
    private static final int SUM_AT = READ_AT + LARGEST_TRANSFER;
    private static final int LOCAL = SUM_AT + Long.BYTES;

    /** The purpose of a send request. */
    private enum Kind {
        MESSAGE,
        LAST,
        WRITE,
        ADD,
        READ,
        PROBE
    }

    private final MemoryRegion local;
    private final MemoryRegion arrivals;
    private final MemoryRegion exposed;
    private final PreparedQueuePair prepared;
    private final Map<Long, Kind> kinds = new HashMap<>();
    private final SplittableRandom random;
    private final byte[] expected = new byte[MEMORY];
    /** The contents of the other end's memory before the last write. */
    private final byte[] before = new byte[MEMORY];

    private QueuePair pair;
    private RemoteMemory remote;
    private long nextId = RECEIVE_SLOTS;
    private long posted;
    private long sent;
    private int openMessages;
    private boolean lastPosted;
    private boolean allSent;
    private boolean allCame;
    private Kind transfer = Kind.READ;
    private boolean transferOpen;
    private long transfers;
    private long sum;
    private int addend;
    private int offset;
    private int length;
    private long lastPostMillis;
    private long withheld;
    /** Of the next request's first packet, since the first request. */
    private long packets;

    private int pathMtu;
    /** Of the transfer. */
    private long firstPacket;
    /** The error of a read. It is read a second time before it counts. */
    private String misread = "";

    Pairs(int side, DeviceContext device, Peer.Orders orders, RawEnd.Other other) {
        super(side, device, orders, other, LARGEST);
        random = new SplittableRandom(orders.seed() + side);
        ProtectionDomain domain = device.allocateProtectionDomain();
        local = domain.allocateMemory(LOCAL, LOCAL_WRITE);
        arrivals = domain.allocateMemory((long) RECEIVE_SLOTS * LARGEST, LOCAL_WRITE);
        exposed = domain.allocateMemory(MEMORY + SPARE, LOCAL_WRITE, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC);
        prepared = domain.prepareQueuePair(QueuePairType.RC, config -> {
            config.completionQueue(queue)
                    .maxSendWorkRequests(SEND_SLOTS)
                    .maxReceiveWorkRequests(RECEIVE_SLOTS)
                    .remoteAccess(REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC);
            if (orders.load() == Load.EXTENDED) {
                config.sendOperations(
                        SendOperation.SEND,
                        SendOperation.RDMA_WRITE,
                        SendOperation.RDMA_READ,
                        SendOperation.FETCH_AND_ADD);
            }
        });
    }

    @Override
    byte[] hello() {
        return ByteBuffer.allocate(QueuePairEndpoint.BYTES + RemoteMemory.BYTES)
                .put(prepared.endpoint().toBytes())
                .put(exposed.remoteMemory().toBytes())
                .array();
    }

    @Override
    void connect(byte[] theirs) {
        for (int slot = 0; slot < RECEIVE_SLOTS; slot++) {
            posted(slot, prepared.tryPostReceive(slot, arrivals.slice((long) slot * LARGEST, LARGEST)));
        }
        pair = prepared.connect(
                QueuePairEndpoint.fromBytes(Arrays.copyOf(theirs, QueuePairEndpoint.BYTES)),
                config -> config.timeout(TIMEOUT).retryCount(RETRIES));
        pathMtu = pair.query(QueuePairAttribute.PATH_MTU).pathMtu().bytes();
        remote = RemoteMemory.fromBytes(Arrays.copyOfRange(theirs, QueuePairEndpoint.BYTES, theirs.length));
    }

    @Override
    void post() {
        while (!isTime() && openMessages < MESSAGES) {
            posted++;
            send(Kind.MESSAGE, outgoing.message(posted));
        }
        if (!transferOpen && !(isTime() && transfer == Kind.READ)) {
            transferOpen = true;
            transfer();
        }
        if (isTime() && !lastPosted && openSends() == 0) {
            lastPosted = true;
            send(Kind.LAST, Content.last(posted));
        }
        if (allSent && openSends() == 0 && elapsed() - lastPostMillis > PROBE_MILLIS) {
            // The other end has a message to send, and only a request of our own detects that it never will.
            long id = next(Kind.PROBE);
            count(1);
            posted(id, pair.tryPostWrite(id, local.slice(SUM_AT, 1), remote.slice(MEMORY, 1), SendFlags.SIGNALED));
        }
    }

    private long next(Kind kind) {
        kinds.put(nextId, kind);
        lastPostMillis = elapsed();
        return nextId++;
    }

    private void count(int bytes) {
        packets += Math.ceilDiv(bytes, pathMtu);
    }

    private void send(Kind kind, byte[] message) {
        long id = next(kind);
        count(message.length);
        long at = id % SEND_SLOTS * LARGEST;
        write(message, local, at);
        openMessages++;
        posted(id, pair.tryPostSend(id, local.slice(at, message.length), SendFlags.SIGNALED));
    }

    /** The next of write, addition and read in memory that no other thread writes. */
    private void transfer() {
        transfer = Kind.values()[transfer == Kind.READ ? Kind.WRITE.ordinal() : transfer.ordinal() + 1];
        long id = next(transfer);
        firstPacket = packets;
        if (transfer == Kind.ADD) {
            count(Long.BYTES);
            addend = random.nextInt(1, 1000);
            local.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, SUM_AT, -1);
            posted(
                    id,
                    pair.tryPostFetchAndAdd(
                            id,
                            local.slice(SUM_AT, Long.BYTES),
                            remote.slice(0, Long.BYTES),
                            addend,
                            SendFlags.SIGNALED));
            return;
        }
        length = random.nextInt(1, LARGEST_TRANSFER + 1);
        offset = random.nextInt(Long.BYTES, MEMORY - length + 1);
        if (transfer == Kind.WRITE) {
            count(length);
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            write(bytes, local, WRITE_AT);
            System.arraycopy(expected, 0, before, 0, MEMORY);
            System.arraycopy(bytes, 0, expected, offset, length);
            posted(
                    id,
                    pair.tryPostWrite(
                            id, local.slice(WRITE_AT, length), remote.slice(offset, length), SendFlags.SIGNALED));
        } else {
            read(id);
        }
    }

    private void read(long id) {
        count(length);
        local.segment().asSlice(READ_AT, length).fill(UNTOUCHED);
        posted(
                id,
                pair.tryPostRead(id, local.slice(READ_AT, length), remote.slice(offset, length), SendFlags.SIGNALED));
    }

    @Override
    void done(long id) {
        Kind kind = kinds.remove(id);
        switch (kind) {
            case MESSAGE -> {
                openMessages--;
                sent++;
            }
            case LAST -> allSent = true;
            case ADD -> {
                long before = local.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, SUM_AT);
                if (before == -1 && orders.wire().withhold()) {
                    withheld++;
                } else if (before != sum) {
                    throw new Wrong("a sum of " + sum + " was " + before);
                }
                sum += addend;
            }
            case READ -> {
                if (!isSettled()) {
                    read(next(Kind.READ));
                    return;
                }
            }
            default -> {
                // A write is read later.
            }
        }
        if (kind == transfer && transferOpen) {
            transferOpen = false;
            transfers++;
        }
    }

    /** Judges a read. {@return false if it must be repeated} */
    private boolean isSettled() {
        Misread now = Misread.of(read(local, READ_AT, length), offset, expected, before, UNTOUCHED);
        if (!misread.isEmpty()) {
            throw new Wrong(misread + "; the same read again: " + (now == null ? "right" : now));
        }
        if (now == null) {
            return true;
        }
        misread = ("transfer %d after %d ms: read of %d bytes at offset %d, 0x%x there, to 0x%x here, path MTU %d,"
                        + " packet %d since the first, whose PSN is %d: %s")
                .formatted(
                        transfers,
                        elapsed(),
                        length,
                        offset,
                        remote.address() + offset,
                        local.segment().address() + READ_AT,
                        pathMtu,
                        firstPacket,
                        prepared.endpoint().packetSequenceNumber(),
                        now);
        if (now.isUndelivered() && orders.wire().withhold()) {
            withheld++;
            System.err.println("machine " + side + ", seed " + orders.seed() + ": " + misread);
            misread = "";
        }
        return misread.isEmpty();
    }

    @Override
    void judge() {
        if (!misread.isEmpty()) {
            throw new Wrong(misread + "; the connection ended before the same read again");
        }
    }

    @Override
    void arrived(long id, WorkCompletion completion) {
        allCame = incoming.take(read(arrivals, id * LARGEST, completion.byteLength()));
        if (!isLost()) {
            posted(id, pair.tryPostReceive(id, arrivals.slice(id * LARGEST, LARGEST)));
        }
    }

    @Override
    boolean isWhole() {
        return allSent && allCame;
    }

    @Override
    void toError() {
        pair.toError();
    }

    @Override
    long silenceMillis() {
        return SILENCE_MILLIS + 3_000;
    }

    @Override
    long sent() {
        return sent;
    }

    @Override
    long received() {
        return incoming.received();
    }

    @Override
    long transfers() {
        return transfers;
    }

    @Override
    String remark() {
        return withheld == 0 ? "" : withheld + " reads and additions reported as done, and not delivered";
    }
}
