// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;

import io.github.rdma4j.verbs.AddressHandleAttributes;
import io.github.rdma4j.verbs.Destination;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.PreparedQueuePair;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairEndpoint;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.WorkCompletion;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * Datagrams in both directions. Every datagram that arrives was sent by the peer; some may be missing or duplicated if
 * the wire loses or duplicates packets. The header contains the number of datagrams that its sender has received, and a
 * flag for the last one. So no end has more datagrams in flight than the other has receives, and both ends detect the
 * end.
 */
final class Datagrams extends RawTalk {
    private static final int LARGEST = 900;
    private static final int HEADER = 2 * Long.BYTES;
    private static final int ROUTE = WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES;
    private static final int SLOT = 1024;
    private static final int WINDOW = 24;
    private static final int KEY = 0x1cab;
    /** After this time, datagrams in flight count as lost. */
    private static final long LOST_MILLIS = 200;
    /** The interval at which the last datagram is repeated until it is acknowledged. */
    private static final long AGAIN_MILLIS = 20;

    private final MemoryRegion local;
    private final MemoryRegion arrivals;
    private final ProtectionDomain domain;
    private final PreparedQueuePair prepared;
    private final QueuePairEndpoint mine;
    private final Content theirs;
    private final BitSet came = new BitSet();

    private QueuePair pair;
    private Destination there;
    private long nextId = RECEIVE_SLOTS;
    private long posted;
    private long sent;
    private long cameThere;
    private long givenUp;
    private long progressMillis;
    private long lastPostMillis;
    private long distinct;
    private long doubled;
    private long theirCount = -1;
    private boolean lastCameThere;
    private int theirNumber;

    Datagrams(int side, DeviceContext device, Peer.Orders orders, RawEnd.Other other) {
        super(side, device, orders, other, LARGEST);
        theirs = new Content(orders.seed() * 2 + 3 - side, LARGEST);
        domain = device.allocateProtectionDomain();
        local = domain.allocateMemory((long) SEND_SLOTS * SLOT, LOCAL_WRITE);
        arrivals = domain.allocateMemory((long) RECEIVE_SLOTS * SLOT, LOCAL_WRITE);
        prepared = domain.prepareQueuePair(
                QueuePairType.UD,
                config -> config.completionQueue(queue)
                        .maxSendWorkRequests(SEND_SLOTS)
                        .maxReceiveWorkRequests(RECEIVE_SLOTS)
                        .queueKey(KEY));
        mine = prepared.endpoint();
    }

    @Override
    byte[] hello() {
        return mine.toBytes();
    }

    @Override
    void connect(byte[] bytes) {
        for (int slot = 0; slot < RECEIVE_SLOTS; slot++) {
            posted(slot, prepared.tryPostReceive(slot, arrivals.slice((long) slot * SLOT, SLOT)));
        }
        int gid = prepared.gidIndex().orElseThrow();
        pair = prepared.activate();
        QueuePairEndpoint endpoint = QueuePairEndpoint.fromBytes(bytes);
        theirNumber = endpoint.queuePairNumber();
        there = Destination.of(
                domain.createAddressHandle(AddressHandleAttributes.toGid(1, gid, endpoint.gid())), theirNumber, KEY);
    }

    @Override
    void post() {
        if (elapsed() - progressMillis > LOST_MILLIS) {
            givenUp = posted - cameThere;
            progressMillis = elapsed();
        }
        while (!isTime() && openSends() < WINDOW && posted - cameThere - givenUp < WINDOW) {
            posted++;
            send(outgoing.message(posted));
        }
        if (isTime() && elapsed() - lastPostMillis > AGAIN_MILLIS && openSends() < WINDOW) {
            send(Content.last(posted));
        }
    }

    private void send(byte[] content) {
        long id = nextId++;
        lastPostMillis = elapsed();
        long at = id % SEND_SLOTS * SLOT;
        byte[] message = ByteBuffer.allocate(HEADER + content.length)
                .putLong(distinct)
                .putLong(theirCount >= 0 ? 1 : 0)
                .put(content)
                .array();
        write(message, local, at);
        posted(id, pair.tryPostSend(id, local.slice(at, message.length), there, SendFlags.SIGNALED));
    }

    @Override
    void done(long id) {
        sent++;
    }

    @Override
    void arrived(long id, WorkCompletion completion) {
        if (completion.sourceQueuePairNumber() != theirNumber) {
            throw new Wrong(
                    "a datagram of queue pair " + completion.sourceQueuePairNumber() + " and not of " + theirNumber);
        }
        if (completion.byteLength() < ROUTE + HEADER) {
            throw new Wrong("a datagram of " + completion.byteLength() + " bytes");
        }
        ByteBuffer message = ByteBuffer.wrap(read(arrivals, id * SLOT + ROUTE, completion.byteLength() - ROUTE));
        if (!isLost()) {
            posted(id, pair.tryPostReceive(id, arrivals.slice(id * SLOT, SLOT)));
        }
        long count = message.getLong();
        if (count > cameThere) {
            cameThere = count;
            progressMillis = elapsed();
        }
        lastCameThere |= message.getLong() == 1;
        byte[] content = new byte[message.remaining()];
        message.get(content);
        take(content);
    }

    private void take(byte[] content) {
        long count = Content.countOf(content);
        if (count >= 0) {
            if (theirCount >= 0 && theirCount != count) {
                throw new Wrong("the end said " + theirCount + " and then " + count);
            }
            theirCount = count;
            return;
        }
        long number = ByteBuffer.wrap(content).getLong();
        String complaint = theirs.complaint(content, number);
        if (!complaint.isEmpty() || number > Integer.MAX_VALUE) {
            throw new Wrong(complaint);
        }
        if (came.get((int) number)) {
            doubled++;
            if (!orders.wire().twice()) {
                throw new Wrong("datagram " + number + " came twice");
            }
            return;
        }
        came.set((int) number);
        distinct++;
        if (theirCount >= 0 && distinct > theirCount) {
            throw new Wrong(distinct + " datagrams arrived, of " + theirCount);
        }
    }

    @Override
    boolean isWhole() {
        boolean whole = theirCount >= 0 && (lastCameThere || other.hasAll());
        if (whole && distinct < theirCount && !orders.wire().lose()) {
            throw new Wrong(theirCount - distinct + " of " + theirCount + " datagrams did not come");
        }
        return whole;
    }

    @Override
    void toError() {
        pair.toError();
    }

    @Override
    long silenceMillis() {
        return 0;
    }

    @Override
    long sent() {
        return sent;
    }

    @Override
    long received() {
        return distinct;
    }

    @Override
    long transfers() {
        return 0;
    }

    @Override
    String remark() {
        return theirCount < 0 ? "" : theirCount - distinct + " missing, " + doubled + " doubled of " + theirCount;
    }
}
