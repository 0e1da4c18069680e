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

/** The job of a {@link Transfer}: its memory on both sides, and the streams before and after it. */
final class Work extends Job {
    private static final int NO_FLAG = -1;

    private final Place place;
    private final RemoteMemory remote;
    private final StagingRing staging;
    private final FollowFlags flags;
    private final List<CudaEvent> after = new ArrayList<>();
    private int flag = NO_FLAG;
    private int ticket;
    /** The event after the last copy of a staged read or receive, once that copy is queued. */
    private CudaEvent lastCopy;

    /**
     * Creates the job of a transfer.
     *
     * @param remote the peer's memory; null for messages
     * @param staging the chunks of its direction; null on a direct path
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

    /** Returns the memory of a chunk that the adapter reads or writes on a direct path. */
    MemorySlice directChunk(long chunk) {
        return place.direct().slice(chunkStart(chunk), chunkLength(chunk));
    }

    /** Returns the remote memory of a chunk. */
    RemoteMemory remoteChunk(long chunk) {
        return remote.slice(chunkStart(chunk), chunkLength(chunk));
    }

    /** Makes it wait for the work that was submitted to the stream before, in addition to earlier conditions. */
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

    /**
     * A failure has no effect on the transfer: an event that the driver keeps costs a few bytes until the context ends.
     */
    private static void closeQuietly(CudaEvent event) {
        try {
            event.close();
        } catch (RuntimeException e) {
            // Nothing more can be done about it.
        }
    }

    /**
     * Makes a stream wait until this transfer has ended.
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

    /**
     * Called when the last copy of a staged read or receive has been queued: the stream sets the word after the copy.
     */
    void afterLastCopy(CudaStream stream) {
        if (flag != NO_FLAG) {
            try {
                flags.set(stream, flag, ticket);
            } catch (CudaException ignored) {
                // The host also sets it at the end, a little later.
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
