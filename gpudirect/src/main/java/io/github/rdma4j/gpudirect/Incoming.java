// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.WorkCompletion;
import java.util.ArrayDeque;

/**
 * What comes to this side: reads, in the order in which they were asked for, and receives, each for the message that
 * the peer announces next. A staged chunk takes a slot, comes in, is copied to the device, and gives the slot back when
 * the copy is done. For one thread at a time.
 */
final class Incoming {
    private final ChannelWire wire;
    private final ArrayDeque<Transfer> reads = new ArrayDeque<>();
    private final ArrayDeque<Transfer> receives = new ArrayDeque<>();
    private SlotRing ring;
    /** The receive whose chunks are being posted; null if there is none. */
    private Transfer current;

    private long nextMessage;
    private long granted;
    private long told;

    Incoming(ChannelWire wire) {
        this.wire = wire;
    }

    void add(Transfer transfer, SlotRing slots) {
        ring = slots;
        (transfer.kind() == Transfer.Kind.READ ? reads : receives).add(transfer);
    }

    boolean advance() {
        boolean moved = finishCopies();
        if (wire.isBroken()) {
            return moved;
        }
        moved |= advanceReads();
        moved |= advanceReceives();
        if (told != granted && wire.hasRoomForWord()) {
            told = granted;
            wire.tellGrants(granted);
        }
        return moved;
    }

    private boolean finishCopies() {
        boolean moved = false;
        SlotRing.Slot slot;
        while (ring != null && (slot = ring.firstCopied()) != null) {
            ring.removeCopied();
            Transfer transfer = slot.transfer;
            RuntimeException failure = slot.failure;
            boolean whole = failure == null && slot.chunk < transfer.abortFrom;
            int length = slot.length;
            if (failure != null) {
                transfer.fail(slot.chunk, new TransferException("copying to the device", failure));
            }
            ring.release(slot);
            transfer.copied();
            transfer.chunkThrough(whole ? length : 0);
            moved = true;
        }
        return moved;
    }

    private boolean advanceReads() {
        boolean moved = false;
        while (!reads.isEmpty()) {
            Transfer transfer = reads.peek();
            if (!transfer.isReady()) {
                break;
            }
            while (transfer.posted < transfer.chunks && !transfer.isFailing()) {
                if (!postRead(transfer)) {
                    return moved;
                }
                moved = true;
            }
            reads.remove();
            transfer.settle();
            moved = true;
        }
        return moved;
    }

    private boolean hasSlot(Transfer transfer) {
        return !transfer.place.isStaged() || ring.hasFree();
    }

    private boolean postRead(Transfer transfer) {
        if (!wire.sends.hasRoom() || !hasSlot(transfer)) {
            return false;
        }
        long chunk = transfer.posted;
        SlotRing.Slot slot = takeSlot(transfer, chunk);
        Posts.Post post = wire.sends.take(transfer, slot, chunk, transfer.chunkLength(chunk));
        int result;
        RuntimeException failure;
        try {
            result = wire.queuePair()
                    .postRead(
                            ChannelWire.SENT | post.index(),
                            local(transfer, slot, chunk),
                            transfer.remoteChunk(chunk),
                            SendFlags.SIGNALED);
            failure = ChannelWire.postFailed("a chunk that is read", result);
        } catch (RuntimeException e) {
            result = Integer.MAX_VALUE;
            failure = new TransferException("posting", e);
        }
        if (result == 0) {
            transfer.posted++;
            transfer.given();
            return true;
        }
        giveBack(wire.sends, post, slot);
        if (result != QueuePair.QUEUE_FULL) {
            transfer.fail(chunk, failure);
            return true;
        }
        return false;
    }

    private SlotRing.Slot takeSlot(Transfer transfer, long chunk) {
        return transfer.place.isStaged() ? ring.take(transfer, chunk, transfer.chunkLength(chunk)) : null;
    }

    private static MemorySlice local(Transfer transfer, SlotRing.Slot slot, long chunk) {
        return slot == null ? transfer.directChunk(chunk) : slot.slice();
    }

    private void giveBack(Posts posts, Posts.Post post, SlotRing.Slot slot) {
        posts.release(post);
        if (slot != null) {
            ring.release(slot);
        }
    }

    private boolean advanceReceives() {
        boolean moved = false;
        while (current != null || match()) {
            moved = true;
            while (current != null && current.posted < current.chunks) {
                if (!postReceive(current)) {
                    return moved;
                }
            }
            current = null;
        }
        return moved;
    }

    /**
     * Gives the next message that is announced to the next receive, if there are both. A message that is too long is
     * counted as granted.
     */
    private boolean match() {
        Transfer transfer = receives.peek();
        if (transfer == null || !wire.hasRoomForWord() || !transfer.isReady()) {
            return false;
        }
        if (transfer.isEnded()) {
            receives.remove();
            return true;
        }
        long length = wire.mailbox.announced(nextMessage);
        if (length < 0) {
            return false;
        }
        receives.remove();
        if (length > transfer.length()) {
            wire.refuse(nextMessage, transfer.length());
            granted += transfer.chunksOf(length);
            transfer.fail(
                    0,
                    new TransferException("the peer's message has %d bytes, and the receive room for %d"
                            .formatted(length, transfer.length())));
        } else {
            transfer.announced(nextMessage, length);
            current = transfer;
        }
        nextMessage++;
        return true;
    }

    private boolean postReceive(Transfer transfer) {
        if (!wire.receives.hasRoom() || !hasSlot(transfer)) {
            return false;
        }
        long chunk = transfer.posted;
        SlotRing.Slot slot = takeSlot(transfer, chunk);
        // What is still to come of a message that the peer has given up is empty; the memory is the user's again.
        MemorySlice local =
                slot == null && transfer.isFailing() ? wire.mailbox.nothing() : local(transfer, slot, chunk);
        Posts.Post post = wire.receives.take(transfer, slot, chunk, (int) local.length());
        TransferException failure;
        try {
            int result = wire.queuePair().postReceive(ChannelWire.RECEIVED | post.index(), local);
            if (result == 0) {
                transfer.posted++;
                transfer.given();
                granted++;
                return true;
            }
            failure = ChannelWire.postFailed("a receive", result);
        } catch (RuntimeException e) {
            failure = new TransferException("posting", e);
            if (transfer.posted == 0) {
                // Memory that cannot be received into: the peer has not begun, and the next receive gets its message.
                giveBack(wire.receives, post, slot);
                transfer.fail(0, failure);
                nextMessage = transfer.message;
                current = null;
                return true;
            }
        }
        giveBack(wire.receives, post, slot);
        // The peer would send into a receive that is not there.
        transfer.fail(chunk, failure);
        wire.breakDown(failure);
        return false;
    }

    /** A chunk of a read has its completion. */
    void read(Posts.Post post, TransferException failure) {
        arrived(wire.sends, post, failure);
    }

    /** A chunk of a message has come. */
    void received(Posts.Post post, WorkCompletion completion, TransferException failure) {
        Transfer transfer = post.transfer;
        if (failure == null) {
            boolean aborted = completion.hasImmediateData() && (completion.immediateData() & Outgoing.ABORTED) != 0;
            boolean last = completion.hasImmediateData() && !aborted;
            if (aborted) {
                transfer.fail(post.chunk, new TransferException("the peer's send failed after its message had begun"));
            } else if (completion.byteLength() != post.bytes || last != (post.chunk == transfer.chunks - 1)) {
                wire.breakDown(new TransferException(
                        "chunk %d of message %d came with %d of %d bytes: the peer is no channel of this version"
                                .formatted(post.chunk, transfer.message, completion.byteLength(), post.bytes)));
                arrived(wire.receives, post, wire.failure());
                return;
            }
        }
        arrived(wire.receives, post, failure);
    }

    private void arrived(Posts posts, Posts.Post post, TransferException failure) {
        Transfer transfer = post.transfer;
        SlotRing.Slot slot = post.slot;
        long chunk = post.chunk;
        int bytes = post.bytes;
        posts.release(post);
        transfer.back();
        if (failure != null) {
            if (slot != null) {
                ring.release(slot);
            }
            transfer.fail(chunk, failure);
            return;
        }
        // What came before the chunk that failed is good.
        boolean wanted = chunk < transfer.abortFrom && !transfer.isEnded();
        if (slot == null || !wanted) {
            if (slot != null) {
                ring.release(slot);
            }
            transfer.chunkThrough(wanted ? bytes : 0);
            return;
        }
        try {
            boolean last = chunk == transfer.chunks - 1;
            ring.copyIn(slot, transfer.place.device(), transfer.chunkStart(chunk), last ? transfer : null);
            transfer.copyQueued();
        } catch (RuntimeException e) {
            ring.release(slot);
            transfer.fail(chunk, new TransferException("copying to the device", e));
            transfer.chunkThrough(0);
        }
    }

    /** All that is not at the adapter fails. */
    void failAll(RuntimeException cause) {
        reads.forEach(transfer -> transfer.fail(cause));
        receives.forEach(transfer -> transfer.fail(cause));
        reads.clear();
        receives.clear();
        if (current != null) {
            current.fail(cause);
            current = null;
        }
    }
}
