// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.srd;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedReceives;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.SrdQueuePair;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.ReceiveBufferTable;
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The receives of an endpoint with a queue pair of its own, in one region. */
final class SrdBuffers implements ReceiveBufferTable {
    private final MemoryRegion region;
    private final PreparedReceives receives;
    private final Message[] messages;
    private final MemorySegment[] memory;

    /**
     * Allocates and registers the buffers, and posts them.
     *
     * @param count of the receives
     * @param size of a receive, in bytes
     */
    SrdBuffers(ProtectionDomain domain, SrdQueuePair pair, int count, int size) {
        long stride = SendBuffers.stride(size);
        this.region = domain.allocateMemory(count * stride, AccessFlag.LOCAL_WRITE);
        this.messages = new Message[count];
        this.memory = new MemorySegment[count];
        List<MemorySlice> posted = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                posted.add(region.slice(i * stride, size));
                memory[i] = region.segment().asSlice(i * stride, size);
                messages[i] = ACCESS.message(memory[i]);
            }
            receives = pair.prepareReceives(Protocol.RECEIVE, posted);
            for (int i = 0; i < count; i++) {
                receives.add(i);
            }
            int errno = postReturned();
            if (errno != 0) {
                throw new VerbsException("ibv_post_recv(" + pair + ")", errno, "", "");
            }
        } catch (Throwable e) {
            CloseAll.after(e, region::close);
            throw e;
        }
    }

    @Override
    public int post(int receive) {
        giveBack(receive);
        return postReturned();
    }

    @Override
    public int giveBack(int receive) {
        receives.add(receive);
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
    public Message message(int receive, long length) {
        return ACCESS.open(messages[receive], length);
    }

    @Override
    public ByteBuffer arrived(int receive) {
        return ACCESS.whole(messages[receive]);
    }

    @Override
    public int frame(int receive, long length) {
        throw new AssertionError("the frame is immediate data");
    }

    @Override
    public byte[] copy(int receive, long length) {
        return memory[receive].asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    void close() {
        region.close();
    }
}
