// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.Destination;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletions;
import java.lang.foreign.ValueLayout;

/**
 * The resources of one end of a connection besides its id: memory and a completion queue, in the context that rdma_cm
 * has opened.
 */
final class CmEnd implements AutoCloseable {
    static final int MESSAGE = 1024;
    /** 4.096 us x 2^19, 2 s: an emulated processor can stall for longer than what rdma_cm computes. */
    static final int PATIENT_ACK_TIMEOUT = 19;

    final ProtectionDomain domain;
    final CompletionQueue queue;
    final MemoryRegion memory;
    final WorkCompletions completions = WorkCompletions.allocate(1);
    QueuePair queuePair;

    CmEnd(DeviceContext device) {
        domain = device.allocateProtectionDomain();
        queue = device.createCompletionQueue(32);
        memory = domain.allocateMemory(
                MESSAGE + WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES,
                AccessFlag.LOCAL_WRITE,
                AccessFlag.REMOTE_READ,
                AccessFlag.REMOTE_WRITE,
                AccessFlag.REMOTE_ATOMIC);
    }

    static CmEnd of(ConnectionId id) {
        CmEnd end = new CmEnd(id.device().orElseThrow());
        if (!id.portSpace().isDatagram()) {
            id.options().ackTimeout(PATIENT_ACK_TIMEOUT);
        }
        end.queuePair = id.createQueuePair(end.domain, config -> config.completionQueue(end.queue));
        return end;
    }

    MemorySlice message() {
        return memory.slice(0, MESSAGE);
    }

    void fill(char value) {
        memory.segment().asSlice(0, MESSAGE).fill((byte) value);
    }

    /** Whether the message, behind so many other bytes, is all this value. */
    boolean isFilled(char value, int offset) {
        byte[] bytes = memory.segment().asSlice(offset, MESSAGE).toArray(ValueLayout.JAVA_BYTE);
        for (byte b : bytes) {
            if (b != (byte) value) {
                return false;
            }
        }
        return true;
    }

    void receive() {
        if (!queuePair.tryPostReceive(1, memory.slice())) {
            throw new AssertionError("tryPostReceive: the queue is full");
        }
    }

    void send() {
        if (!queuePair.tryPostSend(2, message(), SendFlags.SIGNALED)) {
            throw new AssertionError("tryPostSend: the queue is full");
        }
    }

    void send(Destination destination) {
        if (!queuePair.tryPostSend(2, message(), destination, SendFlags.SIGNALED)) {
            throw new AssertionError("tryPostSend: the queue is full");
        }
    }

    /** Whether nothing completes for a while: long enough for a packet of the same host. */
    boolean isSilent() throws InterruptedException {
        Thread.sleep(300);
        return queue.poll(completions) == 0;
    }

    WorkCompletion await() {
        long deadline = System.nanoTime() + CmTestNet.PATIENCE.toNanos();
        while (queue.poll(completions) == 0) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("no completion");
            }
            Thread.onSpinWait();
        }
        return completions.get(0);
    }

    void awaitSuccess() {
        WorkCompletion completion = await();
        if (!completion.isSuccess()) {
            throw new AssertionError(completion.describe());
        }
    }

    /** Sends messages to and fro and checks each. The device tests of rdma-core call this traffic. */
    static void pingPong(CmEnd client, CmEnd server, int rounds) {
        for (int i = 0; i < rounds; i++) {
            client.fill('c');
            server.receive();
            client.send();
            client.awaitSuccess();
            server.awaitSuccess();
            require(server.isFilled('c', 0));
            server.fill('s');
            client.receive();
            server.send();
            server.awaitSuccess();
            client.awaitSuccess();
            require(client.isFilled('s', 0));
        }
    }

    static void require(boolean condition) {
        if (!condition) {
            throw new AssertionError("the message that arrived is not the one that was sent");
        }
    }

    @Override
    public void close() {
        domain.close();
        queue.close();
    }
}
