// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletionOpcode;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.cm.CmEventType;
import io.github.rdma4j.verbs.cm.SynchronousId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;

/** One end of a connection, which sends what a test wants, also what the protocol forbids. */
final class RawPeer implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofMinutes(2);
    static final int RING = 64 * 1024;
    private static final int RECEIVES = 1024;
    private static final int SENDS = 64;
    private static final int SLOT = 64;

    private final SynchronousId id;
    private final ProtectionDomain domain;
    private final CompletionChannel channel;
    private final CompletionQueue queue;
    private final QueuePair queuePair;
    private final MemoryRegion slots;
    private final MemoryRegion ring;
    private final MemoryRegion outgoing;
    private final WorkCompletions completions = WorkCompletions.allocate(1);
    private final Queue<ByteBuffer> controls = new ArrayDeque<>();
    private final Queue<Integer> writes = new ArrayDeque<>();

    /** The peer's ring, and how much of it was written. */
    private RemoteMemory peerRing;

    private long written;
    private int read;

    RawPeer(SynchronousId id) {
        this.id = id;
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
        slots = domain.allocateMemory(RECEIVES * SLOT, AccessFlag.LOCAL_WRITE);
        ring = domain.allocateMemory(RING, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        outgoing = domain.allocateMemory(2 * RING, AccessFlag.LOCAL_WRITE);
        for (int i = 0; i < RECEIVES; i++) {
            queuePair.tryPostReceive(i, slots.slice((long) i * SLOT, SLOT));
        }
    }

    SynchronousId id() {
        return id;
    }

    /** Acknowledges nothing any more, as behind a dead path. */
    void fallSilent() {
        queuePair.toError();
    }

    /** Handles one completion. */
    private void handleOne() {
        if (queue.awaitCompletions(completions, PATIENCE) == 0) {
            throw new AssertionError("nothing arrived");
        }
        WorkCompletion completion = completions.get(0);
        if (!completion.isSuccess()) {
            throw new AssertionError(completion.describe());
        }
        int slot = (int) completion.workRequestId();
        if (completion.opcode() == WorkCompletionOpcode.RECEIVE) {
            ByteBuffer copy = ByteBuffer.allocate((int) completion.byteLength());
            copy.put(0, slots.segment().asByteBuffer(), slot * SLOT, copy.capacity());
            if (copy.getShort(0) == 3) {
                peerRing = new RemoteMemory(copy.getLong(16), copy.getInt(24), copy.getInt(28));
                written = 0;
            }
            controls.add(copy);
            queuePair.tryPostReceive(slot, slots.slice((long) slot * SLOT, SLOT));
        } else if (completion.opcode() == WorkCompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE) {
            writes.add(completion.immediateData());
            queuePair.tryPostReceive(slot, slots.slice((long) slot * SLOT, SLOT));
        }
    }

    /** Waits for a control message. */
    ByteBuffer control() {
        while (controls.isEmpty()) {
            handleOne();
        }
        return controls.remove();
    }

    /** Waits for a control message with this opcode; drops others. */
    void awaitControl(int opcode) {
        while (control().getShort(0) != opcode) {
            // The next one.
        }
    }

    /** Waits until this many bytes were written, and reads none. */
    void awaitWrites(int bytes) {
        while (writes.stream().mapToInt(Integer::intValue).sum() < bytes) {
            handleOne();
        }
    }

    /** Waits for a write, and returns its bytes. Announces the ring again when it is full. */
    byte[] read() {
        while (writes.isEmpty()) {
            handleOne();
        }
        byte[] bytes = new byte[writes.remove()];
        ring.segment().asByteBuffer().get(read, bytes);
        read += bytes.length;
        if (read == RING) {
            register();
        }
        return bytes;
    }

    /** Announces the ring. */
    void register() {
        read = 0;
        send(message(3)
                .putLong(16, ring.address())
                .putInt(24, RING)
                .putInt(28, ring.remoteKey())
                .array());
    }

    static ByteBuffer message(int opcode) {
        return ByteBuffer.allocate(ValkeyProtocol.MESSAGE_BYTES).putShort(0, (short) opcode);
    }

    /** Sends a control message of any content and length. */
    void send(byte[] message) {
        outgoing.segment().asByteBuffer().put(0, message);
        queuePair.tryPostSend(0, outgoing.slice(0, message.length), SendFlags.SIGNALED);
        awaitSent(WorkCompletionOpcode.SEND);
    }

    /** Writes bytes into the peer's ring, with a number that should be their length. */
    void write(byte[] bytes, int immediate) {
        post(bytes, immediate);
        awaitSent(WorkCompletionOpcode.RDMA_WRITE);
    }

    /** Writes bytes into the peer's ring, and does not wait. */
    void post(byte[] bytes, int immediate) {
        while (peerRing == null || written == peerRing.length()) {
            handleOne();
        }
        outgoing.segment().asByteBuffer().put(0, bytes);
        queuePair.tryPostWriteWithImmediate(
                0,
                outgoing.slice(0, bytes.length),
                peerRing.slice(written, bytes.length),
                immediate,
                SendFlags.SIGNALED);
        written += bytes.length;
    }

    /** {@return how many bytes fit into the peer's ring} */
    long space() {
        return peerRing == null ? 0 : peerRing.length() - written;
    }

    private void awaitSent(WorkCompletionOpcode opcode) {
        do {
            handleOne();
        } while (completions.get(0).opcode() != opcode);
    }

    /** From now on its adapter refuses writes. SoftRoCE repeats for ever what no adapter answers. */
    void refuseWrites() {
        queuePair.modify(attributes -> attributes.remoteAccess());
    }

    void awaitDisconnect() {
        id.await(CmEventType.DISCONNECTED, PATIENCE);
    }

    @Override
    public void close() {
        id.close();
        domain.close();
        queue.close();
        channel.close();
    }
}
