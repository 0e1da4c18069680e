// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.endpoint.engine.Carrier;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * What an endpoint with two wires has posted, in the order of the calls: it goes to the wire that is in use, waits
 * while none is, and is posted again when RDMA has failed with it.
 *
 * <p>Over RDMA an adapter's word that a message has arrived is not enough: its peer's program may never see it, if the
 * adapter is removed. So a message is kept until the peer's protocol has given the credit for it back, or one for a
 * later message: a credit is given for what was received and read. There are as many credits as buffers, so there are
 * as many messages to keep. Over TCP nothing is kept: that connection lives as long as the endpoint.
 *
 * <p>Over RDMA, nothing that changes anything at the peer goes out while an answer is awaited, of a read or an atomic
 * operation: a read can be asked for again only as long as nothing has come after it.
 */
final class Outbox {
    /** Hears what became of what the protocol has posted. */
    interface Listener {
        void sent(Post post);

        /** It may have taken effect, and must not happen twice. */
        void unknown(Post post);

        /** It cannot be posted. */
        void refused(Post post, RuntimeException why);
    }

    private static final String FAILED = "posting failed: ";

    private final FailoverBuffers buffers;
    private final long[] words;
    private final Listener listener;
    private final ArrayDeque<Post> waiting = new ArrayDeque<>();
    private final ArrayDeque<Post> underWay = new ArrayDeque<>();
    private final ArrayDeque<Post> kept = new ArrayDeque<>();
    private final ArrayDeque<Post> spare = new ArrayDeque<>();
    private final int[] free;
    private int freeCount;
    private int asking;
    /** Where posts go; null while they wait. */
    private Carrier wire;
    /** Which has what is under way. */
    private Carrier last;

    private boolean overRdma;
    private boolean blocked;
    private boolean batched;
    private int inBatch;
    private String failure;

    /** Of all messages that were posted, and of all credits that came back. */
    private long messages;

    private long creditsBack;
    // Over RDMA, since it was taken last.
    private long firstOverRdma;
    private long creditsOverRdma;
    private boolean closeOverRdma;

    /**
     * Nothing is posted, and there is no wire.
     *
     * @param depth the slots of each wire
     * @param words where results go, by slot of the protocol
     */
    Outbox(FailoverBuffers buffers, int depth, long[] words, Listener listener) {
        this.buffers = buffers;
        this.words = words;
        this.listener = listener;
        free = new int[depth];
        for (int i = depth - 1; i >= 0; i--) {
            free[freeCount++] = i;
        }
    }

    boolean isOverRdma() {
        return overRdma;
    }

    boolean isHeld() {
        return wire == null;
    }

    /** Whether the wire has done everything that it was given. */
    boolean isIdle() {
        return underWay.isEmpty();
    }

    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    /** Returns why the wire has not taken a post, once; null if it has taken every post. */
    String takeFailure() {
        String was = failure;
        failure = null;
        return was;
    }

    // ---- Which wire ----

    void useTcp(Carrier tcp) {
        wire = tcp;
        last = tcp;
        overRdma = false;
    }

    /** Everything that TCP was given is done. */
    void useRdma(Carrier rdma) {
        if (!underWay.isEmpty()) {
            throw new IllegalStateException("something is still under way over TCP");
        }
        wire = rdma;
        last = rdma;
        overRdma = true;
        firstOverRdma = messages + 1;
        creditsOverRdma = 0;
        closeOverRdma = false;
    }

    /** What is posted waits from now on. */
    void hold() {
        wire = null;
    }

    /** Whether something else must be sent before all that is posted from now on. */
    void block(boolean now) {
        blocked = now;
    }

    // ---- Posting ----

    Post post(Post.Kind kind, long id, int frame) {
        Post post = spare.poll();
        return (post == null ? new Post() : post).of(kind, id, frame);
    }

    private void recycle(Post post) {
        buffers.giveBack(post);
        post.clear();
        spare.add(post);
    }

    void beginBatch() {
        inBatch = 0;
        batched = false;
        if (wire != null && waiting.isEmpty()) {
            try {
                wire.beginBatch();
                batched = true;
            } catch (IllegalStateException e) {
                failure = FAILED + e.getMessage();
            }
        }
    }

    void endBatch() {
        if (batched) {
            batched = false;
            try {
                if (wire.endBatch() < inBatch) {
                    failure = FAILED + VerbsException.describe(wire.batchError());
                }
            } catch (IllegalStateException e) {
                failure = FAILED + e.getMessage();
            }
        }
    }

    /** Posts it now, or later in its turn. If it throws, as transfers may, it is neither. */
    void add(Post post) {
        if (!waiting.isEmpty() || !canPost(post) || !give(post)) {
            waiting.add(post);
        }
    }

    /** Posts what waits, as far as that is possible. */
    void pump() {
        boolean taken = true;
        while (taken && !waiting.isEmpty() && canPost(waiting.peek())) {
            Post next = waiting.peek();
            try {
                taken = give(next);
            } catch (IllegalArgumentException | IllegalStateException e) {
                listener.refused(next, e);
                recycle(next);
            }
            if (taken) {
                waiting.remove();
            }
        }
    }

    private static boolean needsSlot(Post post) {
        return post.kind == Post.Kind.MESSAGE || post.kind == Post.Kind.TRANSFER;
    }

    private boolean canPost(Post post) {
        return wire != null
                && !blocked
                && failure == null
                && (!overRdma || asking == 0 || post.isAsking() && !post.isAtomic())
                && (!needsSlot(post) || freeCount > 0);
    }

    /**
     * Returns false if the wire does not take it now: it has failed, or there is no memory. Throws for an invalid
     * transfer.
     */
    private boolean give(Post post) {
        int slot = needsSlot(post) ? free[--freeCount] : -1;
        boolean taken = false;
        try {
            int errno = hand(post, slot);
            taken = errno == 0;
            if (!taken) {
                failure = FAILED + VerbsException.describe(errno);
            }
        } catch (IllegalStateException | OutOfMemoryError e) {
            if (post.local != null && !post.local.region().isOpen()) {
                throw e;
            }
            if (e instanceof IllegalStateException) {
                // The program has closed what the wire consists of.
                failure = FAILED + e.getMessage();
            }
        } finally {
            if (!taken && slot >= 0) {
                free[freeCount++] = slot;
            }
        }
        if (taken) {
            post.slot = slot;
            post.done = false;
            inBatch++;
            underWay.add(post);
            book(post);
        }
        return taken;
    }

    private int hand(Post post, int slot) {
        return switch (post.kind) {
            case MESSAGE -> {
                wire.fill(slot, buffers.bytes(post));
                yield wire.postMessage(slot, post.frame, true);
            }
            case TRANSFER ->
                wire.postTransfer(slot, post.operation, post.local, post.remote, post.operand, post.newValue);
            case CREDIT, CLOSE -> wire.postControl(Protocol.CONTROL, post.frame);
            case PROBE -> wire.postProbe(Protocol.PROBE);
        };
    }

    private void book(Post post) {
        asking += post.isAsking() ? 1 : 0;
        if (post.kind == Post.Kind.MESSAGE) {
            post.number = post.number == 0 ? ++messages : post.number;
            if (overRdma) {
                post.kept = true;
                kept.add(post);
            }
        }
        if (overRdma && post.carriesCredits()) {
            creditsOverRdma += Frame.credits(post.frame);
            closeOverRdma |= post.kind == Post.Kind.CLOSE;
        }
    }

    // ---- What becomes of it ----

    private void letGo(Post post) {
        asking -= post.isAsking() ? 1 : 0;
        if (post.slot >= 0) {
            free[freeCount++] = post.slot;
            post.slot = -1;
        }
    }

    /** The wire has done the oldest post. If the protocol throws, it is called again. */
    void sent(long id) {
        Post post = underWay.peek();
        if (post == null
                || id
                        != (post.slot >= 0
                                ? post.slot
                                : post.kind == Post.Kind.PROBE ? Protocol.PROBE : Protocol.CONTROL)) {
            throw new IllegalStateException("a wire has done " + id + ", and was given " + post);
        }
        if (post.operation != null && post.id >= 0) {
            words[(int) post.id] = last.word(post.slot);
        }
        finish(post);
        underWay.remove();
        letGo(post);
        post.done = true;
        if (!post.kept) {
            recycle(post);
        }
    }

    private void finish(Post post) {
        if (post.id != Post.NOBODY) {
            listener.sent(post);
        }
    }

    /** The oldest of what the wire has will not be done; what the protocol calls it. */
    long failOldest() {
        Post post = underWay.remove();
        letGo(post);
        return post.id;
    }

    /** The peer has given credits back. */
    void creditsCame(int count) {
        creditsBack += count;
        while (!kept.isEmpty() && kept.peek().number <= creditsBack) {
            Post post = kept.remove();
            post.kept = false;
            if (post.done) {
                recycle(post);
            }
        }
    }

    /**
     * RDMA has failed, and the peer has said what it received: the rest waits again, before all else that waits.
     * Transfers before a message that the peer has received are done, since RDMA keeps the order. They must not happen
     * again: the peer's program may have changed the memory since.
     *
     * @param received how many messages the peer has received over RDMA
     * @param credits how many credits came with them, and alone
     * @param closed whether the peer has received the close
     */
    void recover(long received, long credits, boolean closed) {
        long before = firstOverRdma + received;
        ArrayDeque<Post> again = new ArrayDeque<>();
        long lost = creditsOverRdma - credits;
        if (lost > 0) {
            int count = (int) Math.min(lost, Frame.MAX_CREDITS);
            again.add(post(Post.Kind.CREDIT, Post.NOBODY, Frame.of(Frame.CREDIT, count)));
        }
        for (Post post : kept) {
            post.kept = false;
            if (post.done && post.number >= before) {
                post.id = Post.NOBODY;
                again.add(post);
            } else if (post.done) {
                recycle(post);
            }
        }
        kept.clear();
        recoverUnderWay(before, closed, again);
        if (closeOverRdma && !closed && again.stream().noneMatch(post -> post.kind == Post.Kind.CLOSE)) {
            again.add(post(Post.Kind.CLOSE, Post.NOBODY, Frame.of(Frame.CLOSE, 0)));
        }
        closeOverRdma = false;
        creditsOverRdma = 0;
        while (!again.isEmpty()) {
            Post post = again.removeLast();
            if (post.kind == Post.Kind.MESSAGE) {
                // It will have the same number again.
                post.number = 0;
                messages--;
            }
            if (post.kind == Post.Kind.MESSAGE || post.kind == Post.Kind.CLOSE) {
                // Its credits are among those that were lost.
                post.frame = Frame.of(Frame.kind(post.frame), 0);
            }
            waiting.addFirst(post);
        }
    }

    private void recoverUnderWay(long before, boolean closed, ArrayDeque<Post> again) {
        int behindReceived = 0;
        int index = 0;
        for (Post post : underWay) {
            index++;
            boolean received =
                    post.kind == Post.Kind.MESSAGE && post.number < before || post.kind == Post.Kind.CLOSE && closed;
            behindReceived = received ? index : behindReceived;
        }
        index = 0;
        Iterator<Post> posts = underWay.iterator();
        while (posts.hasNext()) {
            Post post = posts.next();
            posts.remove();
            index++;
            letGo(post);
            boolean over = index <= behindReceived || post.isOverWithItsWire();
            if (over && !post.isAsking()) {
                finish(post);
                recycle(post);
            } else if (post.isAtomic()) {
                listener.unknown(post);
                recycle(post);
            } else {
                again.add(post);
            }
        }
    }

    /** Nothing will be done any more; how much that was. */
    int failAll(java.util.function.Consumer<Post> told) {
        int count = underWay.size() + waiting.size();
        while (!underWay.isEmpty()) {
            Post post = underWay.remove();
            letGo(post);
            tell(post, told);
        }
        while (!waiting.isEmpty()) {
            tell(waiting.remove(), told);
        }
        return count;
    }

    private static void tell(Post post, java.util.function.Consumer<Post> told) {
        if (post.id != Post.NOBODY) {
            told.accept(post);
        }
    }
}
