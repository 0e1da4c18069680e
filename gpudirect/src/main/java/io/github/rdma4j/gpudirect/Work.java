// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaEvent;
import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import java.util.ArrayList;
import java.util.List;

/** The job of a {@link Transfer}: its memory on both sides, and the streams before it and behind it. */
final class Work extends Job {
    private static final int NO_FLAG = -1;

    private final Place place;
    private final RemoteMemory remote;
    private final StagingRing staging;
    private final FollowFlags flags;
    private final List<CudaEvent> after = new ArrayList<>();
    private int flag = NO_FLAG;
    private int ticket;
    /** The copy that ends a staged read or receive, once it is queued. */
    private CudaEvent lastCopy;

    /**
     * A transfer's.
     *
     * @param remote the peer's memory; null for messages
     * @param staging where its chunks are staged; null if they are not
     */
    Work(Transfer.Kind kind, Place place, RemoteMemory remote, int chunkSize, StagingRing staging, FollowFlags flags) {
        super(kind, place.isStaged(), place.length(), chunkSize);
        this.place = place;
        this.remote = remote;
        this.staging = staging;
        this.flags = flags;
    }

    Place place() {
        return place;
    }

    StagingRing staging() {
        return staging;
    }

    /** What the adapter reads or writes of a chunk on a direct path. */
    MemorySlice directChunk(long chunk) {
        return place.direct().slice(chunkStart(chunk), chunkLength(chunk));
    }

    /** The far memory of a chunk. */
    RemoteMemory remoteChunk(long chunk) {
        return remote.slice(chunkStart(chunk), chunkLength(chunk));
    }

    /** Has it wait for what a stream has been given so far, beside what it waits for already. */
    void after(CudaStream stream) {
        CudaEvent event = stream.context().createEvent();
        after.add(event);
        event.record(stream);
    }

    @Override
    boolean isReady() {
        while (!after.isEmpty()) {
            CudaEvent last = after.getLast();
            if (!last.isDone()) {
                return false;
            }
            after.removeLast();
            closeQuietly(last);
        }
        return true;
    }

    /** The transfer does not depend on it: an event that the driver keeps costs a few bytes until the context ends. */
    private static void closeQuietly(CudaEvent event) {
        try {
            event.close();
        } catch (RuntimeException e) {
            // Nothing is left to be done with it.
        }
    }

    /**
     * Makes a stream wait until this has ended.
     *
     * @return false if it cannot
     */
    boolean follow(CudaStream stream) {
        if (lastCopy != null) {
            stream.waitFor(lastCopy);
            return true;
        }
        if (flag == NO_FLAG) {
            flag = flags.take();
            ticket = flag == NO_FLAG ? 0 : flags.ticket(flag);
        }
        if (flag == NO_FLAG) {
            return false;
        }
        try {
            flags.await(stream, flag, ticket);
            return true;
        } catch (CudaException e) {
            if (e.resultName().equals("CUDA_ERROR_NOT_SUPPORTED")
                    || e.resultName().equals("CUDA_ERROR_NOT_FOUND")) {
                return false;
            }
            throw e;
        }
    }

    /** The last copy of a staged read or receive has been queued: the word follows it, in the stream's order. */
    void afterLastCopy(CudaStream stream) {
        if (flag != NO_FLAG) {
            try {
                flags.set(stream, flag, ticket);
            } catch (CudaException ignored) {
                // The host sets it at the end in any case: a little later.
            }
        }
    }

    void lastCopy(CudaEvent event) {
        lastCopy = event;
    }

    @Override
    void flush() {
        place.flush();
    }

    @Override
    void ended() {
        lastCopy = null;
        after.forEach(Work::closeQuietly);
        after.clear();
        if (flag != NO_FLAG) {
            flags.set(flag, ticket);
            flags.giveBack(flag);
            flag = NO_FLAG;
        }
    }
}
