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
 * Memory of a server that a client writes and reads back before it trusts RDMA. The server's adapter does this without
 * the server's program. It takes several packets of the full size, because a path that loses only long packets is a
 * common fault.
 *
 * <p>The server sends the address of the memory behind its {@link Hello}. Several clients at a time have different
 * parts.
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

    /** {@return a hello with the next part of the memory behind it} */
    byte[] behind(byte[] hello) {
        return ByteBuffer.allocate(hello.length + Integer.BYTES + RemoteMemory.BYTES)
                .put(hello)
                .putInt(MARK)
                .put(place().toBytes())
                .array();
    }

    /** {@return the next part of the memory} */
    RemoteMemory place() {
        long place = Math.floorMod(next.getAndIncrement(), PLACES);
        return region.remoteMemory().slice(place * BYTES, BYTES);
    }

    public void close() {
        region.close();
    }

    /** {@return the memory behind a server's hello; null if there is none} */
    public static MemoryHandle placeIn(byte[] hello) {
        int from = Hello.lengthOf(hello);
        if (hello.length < from + Integer.BYTES + RemoteMemory.BYTES
                || ByteBuffer.wrap(hello).getInt(from) != MARK) {
            return null;
        }
        int memoryAt = from + Integer.BYTES;
        if (ByteBuffer.wrap(hello).getLong(memoryAt + Long.BYTES) != BYTES) {
            // Not a server of this library, so there is nothing to try.
            return null;
        }
        RemoteMemory memory =
                RemoteMemory.fromBytes(Arrays.copyOfRange(hello, memoryAt, memoryAt + RemoteMemory.BYTES));
        return new MemoryHandle(memory, Set.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE));
    }

    /**
     * Writes and reads back.
     *
     * @throws EndpointException if other bytes come back, or on timeout
     */
    public static void tryOut(Endpoint endpoint, MemoryHandle place, Duration timeout) {
        tryOut(endpoint, place, place, timeout);
    }

    /** With two parts, for a test in which other bytes must come back. */
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
            // Before the memory is closed, so that no transfer uses it.
            CloseAll.after(e, endpoint::abort, local::close);
            throw e;
        }
        local.close();
    }
}
