// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.stream;

import io.github.rdma4j.perftest.gpu.CopyQueue;

/**
 * The messages of one stream between device memory and slots of pinned host memory. There are more slots than messages
 * are copied at a time, so that copies overlap with transfers.
 */
public abstract class CopyPassage extends Passage {
    private final CopyQueue copies;
    private final Ring ring;
    private int slot;
    private int place;

    /**
     * The positions of messages.
     *
     * @param size the size of a message
     * @param slots the slots in host memory, a multiple of the positions
     * @param step the distance of two slots, and of two positions
     * @param places the positions in device memory
     * @param deviceOffset the offset of the first position
     */
    public record Ring(long size, int slots, long step, int places, long deviceOffset) {}

    private CopyPassage(CopyQueue copies, Ring ring) {
        this.copies = copies;
        this.ring = ring;
    }

    /** For messages that are sent. */
    public static CopyPassage outgoing(CopyQueue copies, Ring ring) {
        return new Outgoing(copies, ring);
    }

    /** Creates the passage of answers to requests. */
    public static CopyPassage incoming(CopyQueue copies, Ring ring) {
        return new Incoming(copies, ring);
    }

    abstract void copy(CopyQueue queue, long deviceOffset, long hostOffset, long size);

    @Override
    public void rewind() {
        copies.reset();
        slot = 0;
        place = 0;
    }

    /** Queues the copies of all messages before this one for which there is a free slot. */
    final void copyUntil(long end) {
        while (copies.queued() < end && !copies.full()) {
            copy(copies, ring.deviceOffset + place * ring.step, slot * ring.step, ring.size);
            slot = slot + 1 == ring.slots ? 0 : slot + 1;
            place = place + 1 == ring.places ? 0 : place + 1;
        }
        copies.mark();
    }

    final long copied() {
        return copies.done();
    }

    final long queued() {
        return copies.queued();
    }

    final int slots() {
        return ring.slots;
    }

    @Override
    public boolean pass(RunControl control) {
        long end = copies.queued() + 1;
        copyUntil(end);
        while (copies.done() < end) {
            if (!control.running()) {
                return false;
            }
        }
        return true;
    }

    /** A message is copied when its slot is free, and can be posted when that is done. */
    private static final class Outgoing extends CopyPassage {
        private Outgoing(CopyQueue copies, Ring ring) {
            super(copies, ring);
        }

        @Override
        void copy(CopyQueue queue, long deviceOffset, long hostOffset, long size) {
            queue.copyToHost(deviceOffset, hostOffset, size);
        }

        @Override
        public long ready(long completed, long end, long count) {
            copyUntil(Math.min(count, completed + slots()));
            return Math.min(end, copied());
        }

        @Override
        public boolean busy() {
            return copied() < queued();
        }
    }

    /** A request can be posted when the previous answer in its slot has been copied. */
    private static final class Incoming extends CopyPassage {
        private long arrived;

        private Incoming(CopyQueue copies, Ring ring) {
            super(copies, ring);
        }

        @Override
        void copy(CopyQueue queue, long deviceOffset, long hostOffset, long size) {
            queue.copyToDevice(deviceOffset, hostOffset, size);
        }

        @Override
        public void rewind() {
            super.rewind();
            arrived = 0;
        }

        @Override
        public long ready(long completed, long end, long count) {
            copyUntil(arrived);
            return Math.min(end, copied() + slots());
        }

        @Override
        public void completed(long messages) {
            arrived = messages;
            copyUntil(arrived);
        }

        @Override
        public boolean busy() {
            return !settled();
        }

        @Override
        public boolean settled() {
            copyUntil(arrived);
            return copied() == arrived;
        }
    }
}
