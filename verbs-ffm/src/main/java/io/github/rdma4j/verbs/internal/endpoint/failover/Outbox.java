// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * The posts of an endpoint with failover, in the order of the calls. They go to the transport in use, wait while there
 * is none, and are posted again if RDMA fails before they are done.
 *
 * <p>Over RDMA, the adapter's acknowledgement of a message is not enough: if the peer's adapter is removed, the peer's
 * program may never see the message. So a message is kept until the peer's protocol has returned its credit, or the
 * credit of a later message, which means that the message was read. There are as many credits as buffers, which bounds
 * the messages that are kept. Over TCP nothing is kept, because that connection lives as long as the endpoint.
 *
 * <p>Over RDMA, nothing that changes the peer's memory is posted while a read or an atomic operation is under way: a
 * read can be repeated only if nothing has followed it.
 */
final class Outbox {
    /** Receives the results of posts. */
    interface Listener {
        void sent(Post post);

        /** The post may have taken effect, and must not be repeated. */
        void unknown(Post post);

        /** The post was refused. */
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
    /** The transport of posts; null while they wait. */
    private EndpointTransport wire;
    /** The transport of the posts under way. */
    private EndpointTransport last;

    private boolean overRdma;
    private boolean blocked;
    private boolean batched;
    private int inBatch;
    private String failure;

    /** The number of all posted messages, and of all returned credits. */
    private long messages;

    private long creditsBack;
    // Counts since the last switch to RDMA.
    private long firstOverRdma;
    private long creditsOverRdma;
    private boolean closeOverRdma;

    /**
     * Creates it without a transport.
     *
     * @param depth the number of slots of each transport
     * @param words receives the results, by slot of the protocol
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

    /** Whether the transport has done all posts. */
    boolean isIdle() {
        return underWay.isEmpty();
    }

    /** Returns, once, why the transport has refused a post; null if it has not. */
    String takeFailure() {
        String was = failure;
        failure = null;
        return was;
    }

    // ---- The transport ----

    void useTcp(EndpointTransport tcp) {
        wire = tcp;
        last = tcp;
        overRdma = false;
    }

    /** Switches to RDMA; all posts of TCP are done. */
    void useRdma(EndpointTransport rdma) {
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

    /** Makes posts wait from now on. */
    void hold() {
        wire = null;
    }

    /** Sets whether something else must be sent before later posts. */
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

    /** Posts it now, or later in its turn. If this throws, which a transfer may, neither happens. */
    void add(Post post) {
        if (!waiting.isEmpty() || !canPost(post) || !give(post)) {
            waiting.add(post);
        }
    }

    /** Posts waiting posts, as far as possible. */
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
     * Returns false if the transport does not accept it, because it has failed or there is no memory. Throws for an
     * invalid transfer.
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
                // The program has closed an object that the transport uses.
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

    // ---- Results ----

    private void letGo(Post post) {
        asking -= post.isAsking() ? 1 : 0;
        if (post.slot >= 0) {
            free[freeCount++] = post.slot;
            post.slot = -1;
        }
    }

    /** Completes the oldest post of the transport. If the protocol throws, it is called again. */
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

    /** Fails the oldest post of the transport. Returns the protocol's id of it. */
    long failOldest() {
        Post post = underWay.remove();
        letGo(post);
        return post.id;
    }

    /** Handles returned credits of the peer. */
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
     * Called after a failure of RDMA, when the peer has reported what it received: the rest waits again, before
     * everything else that waits. Transfers before a message that the peer has received are done, because RDMA keeps
     * the order. They must not be repeated: the peer's program may have changed the memory since.
     *
     * @param received how many messages the peer has received over RDMA
     * @param credits how many credits it has received, with messages or alone
     * @param closed whether it has received the close message
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
                // It will get the same number again.
                post.number = 0;
                messages--;
            }
            if (post.kind == Post.Kind.MESSAGE || post.kind == Post.Kind.CLOSE) {
                // Its credits are among the lost ones.
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

    /** Fails all posts. Returns how many there were. */
    int failAll(java.util.function.Consumer<Post> listener) {
        int count = underWay.size() + waiting.size();
        while (!underWay.isEmpty()) {
            Post post = underWay.remove();
            letGo(post);
            fail(post, listener);
        }
        while (!waiting.isEmpty()) {
            fail(waiting.remove(), listener);
        }
        return count;
    }

    private static void fail(Post post, java.util.function.Consumer<Post> listener) {
        if (post.id != Post.NOBODY) {
            listener.accept(post);
        }
    }
}
