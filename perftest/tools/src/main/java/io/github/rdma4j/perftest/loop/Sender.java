// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import io.github.rdma4j.perftest.plan.Slots;
import io.github.rdma4j.perftest.resources.RunResources;
import io.github.rdma4j.perftest.stream.RunQueuePair;
import io.github.rdma4j.perftest.wire.SystemData;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedRequest;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.RequestPreparation;
import io.github.rdma4j.verbs.SendBatch;

/** Sends messages through one queue pair: the fields of a message besides its data depend on the connection. */
public final class Sender {
    /** The C tools' value. */
    private static final int IMMEDIATE = 0;

    private final RunQueuePair queuePair;
    private final RequestPreparation preparation;
    /** The address of each message if messages are written with immediate data; else null. */
    private final RemoteMemory[] targets;

    private final boolean withImmediate;

    /** Sends. */
    public Sender(RunResources resources, int stream) {
        this(resources, stream, null);
    }

    /**
     * Writes with a number, for which the peer needs a receive as for a message that is sent.
     *
     * @param size of a message
     * @param layout how messages follow each other in the peer's memory
     * @param count the number of slots, which is how many messages are sent before the first slot is reused
     */
    public static Sender writing(RunResources resources, int stream, long size, SystemData layout, int count) {
        Slots slots = Slots.of(size, layout);
        RemoteMemory[] targets = new RemoteMemory[count];
        for (int slot = 0; slot < targets.length; slot++) {
            targets[slot] = resources.remote(stream).slice(slot % slots.count() * slots.step(), size);
        }
        return new Sender(resources, stream, targets);
    }

    /** Returns a sender that sends or writes messages one after the other to one address. */
    public static Sender ofOneMessage(RunResources resources, int stream, long size) {
        return new Sender(
                resources,
                stream,
                resources.messagesAreWritten()
                        ? new RemoteMemory[] {resources.remote(stream).slice(0, size)}
                        : null);
    }

    /**
     * @param resources connected
     * @param stream whose queue pair to use
     */
    private Sender(RunResources resources, int stream, RemoteMemory[] targets) {
        this.targets = targets;
        this.withImmediate = resources.sendsImmediate();
        this.queuePair = resources.sender(stream);
        this.preparation = queuePair.prepare();
    }

    /** Prepares the message of a slot in the buffer, which is posted repeatedly. */
    PreparedRequest prepare(long id, int slot, MemorySlice local, int flags) {
        PreparedRequest request = targets != null
                ? preparation.writeWithImmediate(local, targets[slot], slot, flags)
                : withImmediate
                        ? preparation.sendWithImmediate(local, IMMEDIATE, flags)
                        : preparation.send(local, flags);
        return request.workRequestId(id);
    }

    /** Adds the message of a slot in the buffer to a list. Allocates nothing. */
    void add(SendBatch batch, long id, int slot, MemorySlice local, int flags) {
        if (targets != null) {
            batch.writeWithImmediate(id, local, targets[slot], slot, flags);
        } else if (withImmediate) {
            batch.sendWithImmediate(id, local, IMMEDIATE, flags);
        } else {
            batch.send(id, local, flags);
        }
    }

    /** Starts a list of messages, to be added by {@link #add}. Allocates nothing. */
    SendBatch startBatch() {
        return queuePair.startBatch();
    }

    /** Returns the number of the queue pair, for messages. */
    int queuePairNumber() {
        return queuePair.number();
    }
}
