// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.rdma;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedReceives;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.SrdQueuePair;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.ReceiveBufferTable;
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;

/** The receive buffers of an endpoint, one region for all: those that it gives credits for, and the reserve. */
public final class ReceiveBuffers implements ReceiveBufferTable {
    /** Views of messages start where any type may be read. */
    private final MemoryRegion region;
    /** Those that are added wait for the call that gives them to the adapter. */
    private final PreparedReceives receives;

    private final MemorySlice[] buffers;
    private final Message[] messages;

    /**
     * Allocates and registers the buffers, and posts them all: this comes before the peer can send.
     *
     * @param size of the longest message with its sum, in bytes
     * @param trailer the bytes behind each message
     */
    public ReceiveBuffers(ProtectionDomain domain, QueuePair queuePair, int credited, int size, int trailer) {
        this(
                domain,
                queuePair,
                slices -> queuePair.prepareReceives(Protocol.RECEIVE, slices),
                credited + Credits.RESERVE,
                size,
                trailer);
    }

    /**
     * Allocates and registers the buffers of a queue pair over SRD, whose frames are immediate data, and posts them.
     *
     * @param size of a receive, in bytes
     */
    public ReceiveBuffers(ProtectionDomain domain, SrdQueuePair queuePair, int count, int size) {
        this(domain, queuePair, slices -> queuePair.prepareReceives(Protocol.RECEIVE, slices), count, size, 0);
    }

    private ReceiveBuffers(
            ProtectionDomain domain,
            Object queuePair,
            Function<List<MemorySlice>, PreparedReceives> preparation,
            int count,
            int size,
            int trailer) {
        long stride = SendBuffers.stride(size + trailer);
        this.region = domain.allocateMemory(count * stride, AccessFlag.LOCAL_WRITE);
        this.buffers = new MemorySlice[count];
        this.messages = new Message[count];
        try {
            for (int i = 0; i < count; i++) {
                buffers[i] = region.slice(i * stride, size + trailer);
                messages[i] = ACCESS.message(region.segment().asSlice(i * stride, size));
            }
            receives = preparation.apply(List.of(buffers));
            for (int i = 0; i < count; i++) {
                receives.add(i);
            }
            int errno = postReturned();
            if (errno != 0) {
                throw new VerbsException("ibv_post_recv(" + queuePair + ")", errno, "", "");
            }
        } catch (Throwable e) {
            CloseAll.after(e, region::close);
            throw e;
        }
    }

    /** With those that wait. */
    @Override
    public int post(int index) {
        receives.add(index);
        return postReturned();
    }

    @Override
    public int giveBack(int index) {
        receives.add(index);
        return 0;
    }

    @Override
    public int postReturned() {
        try {
            return receives.tryPost() ? 0 : Errno.ENOMEM;
        } catch (VerbsException e) {
            return e.errno();
        }
    }

    @Override
    public Message message(int index, long length) {
        return ACCESS.open(messages[index], length);
    }

    @Override
    public ByteBuffer arrived(int index) {
        return ACCESS.whole(messages[index]);
    }

    @Override
    public int frame(int index, long length) {
        return Frame.read(region.segment(), buffers[index].offset() + length);
    }

    @Override
    public byte[] copy(int index, long length) {
        return region.segment().asSlice(buffers[index].offset(), length).toArray(ValueLayout.JAVA_BYTE);
    }

    public void close() {
        region.close();
    }
}
