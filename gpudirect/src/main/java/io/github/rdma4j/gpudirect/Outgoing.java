// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.SendFlags;
import java.util.ArrayDeque;

/**
 * What leaves this side, in the order in which it was asked for: writes, and sends, which are announced and go on as
 * the peer posts receives. A staged chunk takes a slot, is copied, posted, and gives the slot back with its completion.
 * For one thread at a time.
 */
final class Outgoing {
    /**
     * In the immediate data: a chunk of a message that was given up; all others with immediate data are the last of
     * theirs.
     */
    static final int ABORTED = 1 << 31;

    /** How an attempt to post ended. */
    private enum Outcome {
        POSTED,
        LATER,
        GIVEN_UP
    }

    private static final int EMPTY = -1;

    private final ChannelWire wire;
    private final ArrayDeque<Transfer> queue = new ArrayDeque<>();
    /** Messages that are announced and not through, by their number. */
    private final Transfer[] announced = new Transfer[Mailbox.MESSAGES];

    private SlotRing ring;
    private long nextMessage;
    private long nextChunk;
    private long grants;

    Outgoing(ChannelWire wire) {
        this.wire = wire;
    }

    void add(Transfer transfer, SlotRing slots) {
        ring = slots;
        queue.add(transfer);
    }

    boolean advance() {
        boolean moved = postCopied();
        if (wire.isBroken()) {
            return moved;
        }
        grants = wire.mailbox.grants();
        moved |= takeRefusals();
        if (queue.isEmpty()) {
            return moved;
        }
        moved |= announce();
        return moved | pushAll();
    }

    /** Only when the grants have been read: a refused message is counted in them, once its refusal can be seen. */
    private boolean takeRefusals() {
        boolean moved = false;
        for (int i = 0; i < announced.length; i++) {
            Transfer transfer = announced[i];
            if (transfer == null || transfer.posted > 0) {
                continue;
            }
            long room = wire.mailbox.refused(transfer.message);
            if (room >= 0) {
                announced[i] = null;
                queue.remove(transfer);
                transfer.fail(
                        0,
                        new TransferException("the message has %d bytes, and the peer's receive room for %d"
                                .formatted(transfer.length(), room)));
                moved = true;
            }
        }
        return moved;
    }

    private boolean announce() {
        boolean moved = false;
        for (Transfer transfer : queue) {
            if (!transfer.isReady()) {
                break;
            }
            if (transfer.kind() != Transfer.Kind.SEND || transfer.message >= 0 || transfer.isFailing()) {
                continue;
            }
            int place = (int) (nextMessage % Mailbox.MESSAGES);
            if (announced[place] != null || !wire.hasRoomForWord()) {
                break;
            }
            transfer.message = nextMessage++;
            transfer.firstChunk = nextChunk;
            nextChunk += transfer.chunks;
            announced[place] = transfer;
            wire.announce(transfer.message, transfer.length());
            moved = true;
        }
        return moved;
    }

    /**
     * Staged chunks of several transfers may be on their way at once; what is posted straight waits for all before it.
     */
    private boolean pushAll() {
        boolean moved = false;
        Transfer before = null;
        for (Transfer transfer : queue) {
            if (!transfer.isReady() || wire.isBroken()) {
                break;
            }
            boolean sending = transfer.kind() == Transfer.Kind.SEND;
            if (sending && transfer.message < 0 && !transfer.isFailing()) {
                break;
            }
            boolean mayPost = before == null || isThrough(before);
            long start = transfer.staged + transfer.posted;
            boolean all = transfer.place.isStaged() && !transfer.isFailing()
                    ? stage(transfer)
                    : mayPost && pushDirect(transfer);
            moved |= transfer.staged + transfer.posted != start;
            if (!all) {
                break;
            }
            before = transfer;
        }
        while (!queue.isEmpty() && isThrough(queue.peek())) {
            Transfer done = queue.remove();
            done.settle();
            moved = true;
        }
        return moved;
    }

    /** Whether nothing of it has to be posted any more. */
    private static boolean isThrough(Transfer transfer) {
        if (transfer.isFailing() && (transfer.kind() == Transfer.Kind.WRITE || transfer.message < 0)) {
            return !transfer.isCopying();
        }
        return transfer.posted == transfer.chunks;
    }

    private boolean mayGo(Transfer transfer, long chunk) {
        return transfer.kind() == Transfer.Kind.WRITE || transfer.firstChunk + chunk < grants;
    }

    /** Whether all chunks have got a slot. */
    private boolean stage(Transfer transfer) {
        while (transfer.staged < transfer.chunks) {
            long chunk = transfer.staged;
            if (!ring.hasFree() || !mayGo(transfer, chunk)) {
                return false;
            }
            SlotRing.Slot slot = ring.take(transfer, chunk, transfer.chunkLength(chunk));
            try {
                ring.copyOut(slot, transfer.place.device(), transfer.chunkStart(chunk));
            } catch (RuntimeException e) {
                ring.release(slot);
                transfer.fail(chunk, new TransferException("copying from the device", e));
                return false;
            }
            transfer.copyQueued();
            transfer.staged++;
        }
        return true;
    }

    /** Posts what is posted straight; of a send that failed the empty chunks that the peer still waits for. */
    private boolean pushDirect(Transfer transfer) {
        if (transfer.place.isStaged() && transfer.isCopying()) {
            return false;
        }
        while (!isThrough(transfer)) {
            long chunk = transfer.posted;
            if (!wire.sends.hasRoom() || !mayGo(transfer, chunk)) {
                return false;
            }
            boolean empty = chunk >= transfer.abortFrom;
            Outcome outcome = post(transfer, null, chunk, empty ? null : transfer.directChunk(chunk));
            if (outcome == Outcome.LATER || wire.isBroken()) {
                return false;
            }
        }
        return true;
    }

    private boolean postCopied() {
        boolean moved = false;
        SlotRing.Slot slot;
        while (ring != null && (slot = ring.firstCopied()) != null) {
            Transfer transfer = slot.transfer;
            if (slot.failure != null) {
                transfer.fail(slot.chunk, new TransferException("copying from the device", slot.failure));
            }
            boolean withData = slot.chunk < transfer.abortFrom && !wire.isBroken();
            boolean empty = !withData && transfer.kind() == Transfer.Kind.SEND && !wire.isBroken();
            Outcome outcome = Outcome.GIVEN_UP;
            if (withData || empty) {
                if (!wire.sends.hasRoom()) {
                    return moved;
                }
                outcome = post(transfer, withData ? slot : null, slot.chunk, withData ? slot.slice() : null);
                if (outcome == Outcome.LATER) {
                    return moved;
                }
            }
            if (outcome == Outcome.GIVEN_UP && withData && !wire.isBroken()) {
                // It comes round once more, now as one that was given up.
                continue;
            }
            ring.removeCopied();
            transfer.copied();
            if (!withData || outcome != Outcome.POSTED) {
                ring.release(slot);
            }
            transfer.settle();
            moved = true;
        }
        return moved;
    }

    /** Posts a chunk; one without data if there is no local memory. */
    private Outcome post(Transfer transfer, SlotRing.Slot slot, long chunk, MemorySlice local) {
        int bytes = local == null ? EMPTY : (int) local.length();
        Posts.Post post = wire.sends.take(transfer, slot, chunk, bytes);
        long id = ChannelWire.SENT | post.index();
        int result;
        try {
            result = post(transfer, id, chunk, local);
        } catch (RuntimeException e) {
            wire.sends.release(post);
            TransferException failure = new TransferException("posting", e);
            if (local == null) {
                wire.breakDown(failure);
            } else {
                transfer.fail(chunk, failure);
            }
            return Outcome.GIVEN_UP;
        }
        if (result == 0) {
            transfer.posted++;
            if (local != null) {
                transfer.given();
            }
            return Outcome.POSTED;
        }
        wire.sends.release(post);
        if (result == QueuePair.QUEUE_FULL) {
            return Outcome.LATER;
        }
        TransferException failure = ChannelWire.postFailed("a chunk that goes out", result);
        transfer.fail(chunk, failure);
        if (transfer.kind() == Transfer.Kind.SEND) {
            // Nothing may be missing among the chunks that the peer waits for.
            wire.breakDown(failure);
        }
        return Outcome.GIVEN_UP;
    }

    private int post(Transfer transfer, long id, long chunk, MemorySlice local) {
        QueuePair queuePair = wire.queuePair();
        if (transfer.kind() == Transfer.Kind.WRITE) {
            return queuePair.postWrite(id, local, transfer.remoteChunk(chunk), SendFlags.SIGNALED);
        }
        int number = (int) (transfer.message & ~ABORTED);
        if (local == null) {
            return queuePair.postSendWithImmediate(id, wire.mailbox.nothing(), ABORTED | number, SendFlags.SIGNALED);
        }
        return chunk == transfer.chunks - 1
                ? queuePair.postSendWithImmediate(id, local, number, SendFlags.SIGNALED)
                : queuePair.postSend(id, local, SendFlags.SIGNALED);
    }

    /** A chunk has its completion. */
    void sent(Posts.Post post, TransferException failure) {
        Transfer transfer = post.transfer;
        SlotRing.Slot slot = post.slot;
        boolean empty = post.bytes == EMPTY;
        int bytes = post.bytes;
        wire.sends.release(post);
        if (slot != null) {
            ring.release(slot);
        }
        if (!empty) {
            transfer.back();
        }
        if (failure != null) {
            transfer.fail(failure);
            return;
        }
        transfer.chunkThrough(empty ? 0 : bytes);
        if (transfer.kind() == Transfer.Kind.SEND && transfer.completed == transfer.chunks) {
            announced[(int) (transfer.message % Mailbox.MESSAGES)] = null;
        }
    }

    /** All that is not at the adapter fails. */
    void failAll(RuntimeException cause) {
        for (Transfer transfer : queue) {
            transfer.fail(0, cause);
        }
        queue.clear();
    }
}
