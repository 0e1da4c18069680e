// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.connect;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointException;
import io.github.rdma4j.verbs.endpoint.MemoryHandle;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory of a server, into which a client writes and from which it reads the same again, before it trusts RDMA. The
 * server's program has no part in it, and its adapter does it alone. There are several packets of the longest size: a
 * path that passes short ones and loses long ones is a usual mistake.
 *
 * <p>Where it is, the server says behind its {@link Hello}. Several clients at a time have places of their own.
 */
public final class PathProbe {
    /** More than two packets with an MTU of 4096. */
    public static final int BYTES = 10_000;

    private static final int PLACES = 16;
    private static final int MARK = 0x52_34_43_59;

    private final MemoryRegion region;
    private final AtomicInteger next = new AtomicInteger();

    /** Registers the memory; it is closed by {@link #close()}, or with the domain. */
    public PathProbe(ProtectionDomain domain) {
        region = domain.allocateMemory(
                (long) PLACES * BYTES, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);
    }

    /** A hello with the next place behind it. */
    byte[] behind(byte[] hello) {
        long place = Math.floorMod(next.getAndIncrement(), PLACES);
        RemoteMemory memory = region.remoteMemory().slice(place * BYTES, BYTES);
        return ByteBuffer.allocate(hello.length + Integer.BYTES + RemoteMemory.BYTES)
                .put(hello)
                .putInt(MARK)
                .put(memory.toBytes())
                .array();
    }

    public void close() {
        region.close();
    }

    /** The place that a server names behind its hello; null if it names none. */
    public static MemoryHandle placeIn(byte[] hello) {
        int from = Hello.lengthOf(hello);
        if (hello.length < from + Integer.BYTES + RemoteMemory.BYTES
                || ByteBuffer.wrap(hello).getInt(from) != MARK) {
            return null;
        }
        int memoryAt = from + Integer.BYTES;
        if (ByteBuffer.wrap(hello).getLong(memoryAt + Long.BYTES) != BYTES) {
            // No server of this library: what it names cannot be tried.
            return null;
        }
        RemoteMemory memory =
                RemoteMemory.fromBytes(Arrays.copyOfRange(hello, memoryAt, memoryAt + RemoteMemory.BYTES));
        return new MemoryHandle(memory, Set.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE));
    }

    /**
     * Writes and reads.
     *
     * @throws EndpointException if other bytes come back, or none in time
     */
    public static void tryOut(Endpoint endpoint, MemoryHandle place, Duration timeout) {
        tryOut(endpoint, place, place, timeout);
    }

    /** Two places instead of one, for a test in which other bytes must come back. */
    public static void tryOut(Endpoint endpoint, MemoryHandle written, MemoryHandle read, Duration timeout) {
        long start = System.nanoTime();
        MemoryRegion local = endpoint.allocateMemory(2L * BYTES);
        try {
            byte[] bytes = new byte[BYTES];
            new SplittableRandom().nextBytes(bytes);
            local.segment().asSlice(0, BYTES).copyFrom(MemorySegment.ofArray(bytes));
            endpoint.transfers().write(local.slice(0, BYTES), written, timeout);
            Duration rest = timeout.minusNanos(System.nanoTime() - start);
            endpoint.transfers().read(local.slice(BYTES, BYTES), read, rest);
            long differs = local.segment().asSlice(BYTES, BYTES).mismatch(MemorySegment.ofArray(bytes));
            if (differs >= 0) {
                throw ACCESS.endpointException(
                        "trying out " + endpoint,
                        "the data that came back differ from those that were written, from byte %d of %d on"
                                .formatted(differs, BYTES),
                        "look into the kernel logs of both machines, and test both adapters with ib_write_bw");
            }
        } catch (Throwable e) {
            // Before the memory is closed, so that nothing is under way there.
            CloseAll.after(e, endpoint::abort, local::close);
            throw e;
        }
        local.close();
    }
}
