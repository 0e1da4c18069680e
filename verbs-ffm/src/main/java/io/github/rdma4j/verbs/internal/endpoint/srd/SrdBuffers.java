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
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The receives of an endpoint, and behind them, if messages have fragments, a buffer for each message. All are in one
 * region. Their indices count the receives first.
 */
final class SrdBuffers {
    private final MemoryRegion region;
    private final PreparedReceives receives;
    private final Message[] messages;
    private final MemorySegment[] memory;
    private final int receiveCount;

    /**
     * Allocates and registers the buffers, and posts the receives.
     *
     * @param count of the receives
     * @param size of a receive, in bytes
     * @param buffers for messages with fragments
     * @param longest the length of such a message, in bytes
     */
    SrdBuffers(ProtectionDomain domain, SrdQueuePair pair, int count, int size, int buffers, int longest) {
        long stride = SendBuffers.stride(size);
        long longStride = SendBuffers.stride(longest);
        this.receiveCount = count;
        this.region = domain.allocateMemory(count * stride + buffers * longStride, AccessFlag.LOCAL_WRITE);
        this.messages = new Message[count + buffers];
        this.memory = new MemorySegment[count + buffers];
        List<MemorySlice> posted = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                posted.add(region.slice(i * stride, size));
                memory[i] = region.segment().asSlice(i * stride, size);
            }
            for (int i = 0; i < buffers; i++) {
                memory[count + i] = region.segment().asSlice(count * stride + i * longStride, longest);
            }
            for (int i = 0; i < messages.length; i++) {
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

    /** {@return the index of the buffer for a message with fragments} */
    int indexOfLong(int buffer) {
        return receiveCount + buffer;
    }

    void giveBack(int receive) {
        receives.add(receive);
    }

    int postReturned() {
        try {
            return receives.tryPost() ? 0 : Errno.ENOMEM;
        } catch (VerbsException e) {
            return e.errno();
        }
    }

    void copy(int receive, int length, int buffer, long offset) {
        MemorySegment.copy(memory[receive], 0, memory[indexOfLong(buffer)], offset, length);
    }

    Message message(int index, long length) {
        return ACCESS.open(messages[index], length);
    }

    ByteBuffer arrived(int index) {
        return ACCESS.whole(messages[index]);
    }

    byte[] copy(int index, long length) {
        return memory[index].asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    void close() {
        region.close();
    }
}
