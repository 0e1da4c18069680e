// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.bindings.ibv_context;
import io.github.rdma4j.verbs.bindings.ibv_context_ops;
import io.github.rdma4j.verbs.bindings.ibv_send_wr;
import io.github.rdma4j.verbs.internal.DeviceDriver;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A driver's posting function that refuses one of the chunks, or swallows them; the words of a channel, writes of 8
 * bytes, always go through. Where posting never enters the kernel it is a critical call, in which Java code ends the
 * JVM: there the driver's function stays, and a test that wants another one is aborted.
 */
final class FailingPosts {
    private static final int EIO = 5;
    private static final int WORD = 2;

    private final boolean possible;
    private final MemorySegment original;
    private int chunksUntilFailure;
    private boolean swallowing;
    private int swallowed;

    /** Must come before the queue pair, which takes the function when it is made. */
    FailingPosts(DeviceContext device, Arena arena) {
        possible = !DeviceDriver.of(device.device().sysfsPath()).postsInUserSpace();
        MemorySegment context = MemorySegment.ofAddress(device.handle()).reinterpret(ibv_context.sizeof());
        original = ibv_context_ops.post_send(ibv_context.ops(context));
        if (possible) {
            ibv_context_ops.post_send(ibv_context.ops(context), ibv_context_ops.post_send.allocate(this::post, arena));
        }
    }

    private void require() {
        assumeTrue(possible, "this device's driver posts by critical calls, which must not call Java");
    }

    /** The chunk that is refused, counted from 1, once. */
    void failAt(int chunk) {
        require();
        chunksUntilFailure = chunk;
    }

    /** From now on, accepts chunks and never completes them. */
    void swallow() {
        require();
        swallowing = true;
    }

    int swallowed() {
        return swallowed;
    }

    private int post(MemorySegment queuePair, MemorySegment request, MemorySegment bad) {
        long id = ibv_send_wr.wr_id(request.reinterpret(ibv_send_wr.sizeof()));
        if (id >>> 32 != WORD && chunksUntilFailure > 0 && --chunksUntilFailure == 0) {
            return EIO;
        }
        if (id >>> 32 != WORD && swallowing) {
            swallowed++;
            return 0;
        }
        return ibv_context_ops.post_send.invoke(original, queuePair, request, bad);
    }
}
