// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.cuda.CudaContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Unused lanes. They are reused because pinning memory takes longer than most transfers. */
final class LanePool {
    private final CudaContext context;
    private final int chunkSize;
    private final int slots;
    private final List<StagingLane> unused = new ArrayList<>();
    /** Lanes whose copies did not end in time, or whose context is lost. */
    private final List<StagingLane> abandoned = new ArrayList<>();

    LanePool(CudaContext context, StorageConfig config) {
        this.context = context;
        this.chunkSize = config.chunkSize();
        this.slots = config.slots();
    }

    StagingLane take() {
        synchronized (unused) {
            if (!unused.isEmpty()) {
                return unused.removeLast();
            }
        }
        StagingLane settled = takeAbandoned();
        return settled != null ? settled : StagingLane.make(context, chunkSize, slots);
    }

    /**
     * Returns an abandoned lane whose copies have ended, or null. Without this, frequent interrupts would pin more and
     * more memory.
     */
    private StagingLane takeAbandoned() {
        synchronized (unused) {
            for (StagingLane lane : abandoned) {
                if (lane.settle(Duration.ZERO)) {
                    abandoned.remove(lane);
                    return lane;
                }
            }
            return null;
        }
    }

    void giveBack(StagingLane lane) {
        synchronized (unused) {
            unused.add(lane);
        }
    }

    void abandon(StagingLane lane) {
        synchronized (unused) {
            abandoned.add(lane);
        }
    }

    void close(Closing closing) {
        synchronized (unused) {
            unused.forEach(closing::close);
            unused.clear();
            abandoned.forEach(closing::close);
            abandoned.clear();
        }
    }
}
