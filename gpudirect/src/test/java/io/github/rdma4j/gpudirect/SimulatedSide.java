// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * One end of a channel whose adapter, wire and streams exist only here. A packet arrives, a completion is polled, a
 * copy is done when the schedule runs it, each in the order of its queue.
 */
final class SimulatedSide implements Adapter {
    /** A work request: a chunk, or a word if there is no post. */
    private record Request(Posts.Post post, Runnable word) {}

    private final String name;
    final int chunk;
    final SimulatedCopier out;
    final SimulatedCopier in;
    final Slots outSlots;
    final Slots inSlots;
    final ChannelProtocol protocol;
    final List<SimulatedJob> jobs = new ArrayList<>();
    final List<SimulatedJob> sends = new ArrayList<>();
    final List<SimulatedJob> receives = new ArrayList<>();
    /** The memory that the peer writes and reads. */
    final byte[] window;

    private int windowUsed;
    private SimulatedSide peer;

    private final ArrayDeque<Request> wire = new ArrayDeque<>();
    private final ArrayDeque<Posts.Post> receiveQueue = new ArrayDeque<>();
    private final ArrayDeque<Runnable> completions = new ArrayDeque<>();
    private int freeWords;
    private GpuTransferException failure;

    private long grants;
    private final long[][] announcements = new long[Mailbox.MESSAGES][];
    private final long[][] refusals = new long[Mailbox.MESSAGES][];

    /** Each returns whether its operation fails now. */
    /** False if the queue is full; throws if the adapter refuses. */
    BooleanSupplier posting = () -> true;

    BooleanSupplier cannotPost = () -> false;
    BooleanSupplier notifyFails = () -> false;
    BooleanSupplier breaks = () -> false;

    SimulatedSide(String name, int chunk, int slots, int depth, int words, int window) {
        this.name = name;
        this.chunk = chunk;
        out = new SimulatedCopier(slots, chunk);
        in = new SimulatedCopier(slots, chunk);
        outSlots = new Slots(out, slots);
        inSlots = new Slots(in, slots);
        freeWords = words;
        this.window = new byte[window];
        protocol = new ChannelProtocol(this, depth);
        protocol.useOut(outSlots);
        protocol.useIn(inSlots);
    }

    static void connect(SimulatedSide left, SimulatedSide right) {
        left.peer = right;
        right.peer = left;
    }

    SimulatedSide peer() {
        return peer;
    }

    /** Asks for a transfer. */
    SimulatedJob start(Transfer.Kind kind, boolean staged, byte[] memory) {
        int remote = 0;
        if (kind == Transfer.Kind.WRITE || kind == Transfer.Kind.READ) {
            remote = peer.windowUsed;
            peer.windowUsed += memory.length;
        }
        SimulatedJob[] made = new SimulatedJob[1];
        made[0] = new SimulatedJob(jobs.size(), kind, staged, memory, remote, chunk, () -> atEnd(made[0]));
        SimulatedJob job = made[0];
        jobs.add(job);
        if (kind == Transfer.Kind.SEND) {
            sends.add(job);
        } else if (kind == Transfer.Kind.RECEIVE) {
            receives.add(job);
        }
        protocol.add(job);
        return job;
    }

    boolean hasWindowFor(int bytes) {
        return peer.windowUsed + bytes <= peer.window.length;
    }

    private void atEnd(SimulatedJob job) {
        if (job.state() == Transfer.State.FAILED) {
            job.failedBefore = jobs.size();
            assertPrefix(job);
            return;
        }
        assertThat(job.bytesDone()).as("bytes of %s", job).isEqualTo(job.length());
        assertPrefix(job);
        if (ChannelProtocol.leaves(job.kind())) {
            assertVouches(job, job);
        } else if (job.kind() == Transfer.Kind.RECEIVE) {
            SimulatedJob sent = peer.sends.get(receives.indexOf(job));
            assertThat(job.length()).as("length of %s for %s", job, sent).isEqualTo(sent.bytes().length);
            peer.assertVouches(sent, job);
        }
    }

    /** Checks that all writes that were requested before an arrived message or write are complete. */
    private void assertVouches(SimulatedJob job, SimulatedJob seen) {
        for (int i = 0; i < job.number; i++) {
            SimulatedJob before = jobs.get(i);
            if (before.kind() == Transfer.Kind.WRITE && before.failedBefore > job.number) {
                if (seen == job) {
                    assertThat(before.isFailing())
                            .as("%s failed before %s", before, job)
                            .isFalse();
                }
                assertBytes(before, before.bytes().length, peer.window, before.remote, seen);
            }
        }
    }

    /** The bytes that are done are where they should be. */
    private void assertPrefix(SimulatedJob job) {
        int done = (int) job.bytesDone();
        switch (job.kind()) {
            case WRITE -> assertBytes(job, done, peer.window, job.remote, job);
            case READ -> assertBytes(job, done, peer.window, job.remote, job);
            case RECEIVE -> {
                if (done > 0) {
                    assertBytes(job, done, peer.sends.get(receives.indexOf(job)).bytes(), 0, job);
                }
            }
            case SEND -> {}
        }
    }

    private static void assertBytes(SimulatedJob job, int length, byte[] others, int start, SimulatedJob when) {
        for (int i = 0; i < length; i++) {
            if (job.bytes()[i] != others[start + i]) {
                throw new AssertionError("byte %d of %s differs when %s ends".formatted(i, job, when));
            }
        }
    }

    @Override
    public boolean tryPost(Posts.Post post) {
        if (cannotPost.getAsBoolean()) {
            throw new IllegalArgumentException("the region is closed");
        }
        if (!post.empty && !posting.getAsBoolean()) {
            return false;
        }
        if (post.job.kind() == Transfer.Kind.RECEIVE) {
            receiveQueue.add(post);
        } else {
            wire.add(new Request(post, null));
        }
        return true;
    }

    private void writeWord(Runnable word) {
        assertThat(canSendWord()).as("can send a word").isTrue();
        if (notifyFails.getAsBoolean()) {
            breakDown(new GpuTransferException("notifying the peer"));
            return;
        }
        freeWords--;
        wire.add(new Request(null, word));
    }

    @Override
    public boolean canSendWord() {
        return freeWords > 0 && failure == null;
    }

    @Override
    public void announceGrants(long number) {
        writeWord(() -> peer.grants = number);
    }

    @Override
    public void announce(long message, long length) {
        writeWord(() -> peer.announcements[(int) (message % Mailbox.MESSAGES)] = new long[] {message, length});
    }

    @Override
    public void refuse(long message, long room) {
        writeWord(() -> peer.refusals[(int) (message % Mailbox.MESSAGES)] = new long[] {message, room});
    }

    @Override
    public long grants() {
        return grants;
    }

    @Override
    public long announced(long message) {
        return read(announcements, message);
    }

    @Override
    public long refused(long message) {
        return read(refusals, message);
    }

    private static long read(long[][] words, long message) {
        long[] word = words[(int) (message % Mailbox.MESSAGES)];
        return word != null && word[0] == message ? word[1] : -1;
    }

    @Override
    public GpuTransferException failure() {
        return failure;
    }

    @Override
    public void breakDown(GpuTransferException cause) {
        if (failure != null) {
            return;
        }
        failure = cause;
        wire.forEach(request -> completions.add(() -> complete(request, cause)));
        wire.clear();
        receiveQueue.forEach(post -> completions.add(() -> protocol.receiveFailed(post.index(), cause)));
        receiveQueue.clear();
    }

    private void complete(Request request, GpuTransferException cause) {
        if (request.post == null) {
            freeWords++;
        } else {
            protocol.completed(request.post.index(), cause);
        }
    }

    /** Has the next packet arrive, if there is one. */
    boolean deliverOne() {
        Request request = wire.poll();
        if (request == null) {
            return false;
        }
        if (peer.failure != null || breaks.getAsBoolean()) {
            GpuTransferException cause = new GpuTransferException("no answer");
            completions.add(() -> complete(request, cause));
            breakDown(cause);
            return true;
        }
        if (request.post == null) {
            request.word.run();
        } else {
            transmit(request.post);
        }
        completions.add(() -> complete(request, null));
        return true;
    }

    private void transmit(Posts.Post post) {
        SimulatedJob job = (SimulatedJob) post.job;
        int start = (int) (post.chunk * chunk);
        int length = post.bytes();
        switch (job.kind()) {
            case WRITE -> move(source(post), sourceStart(post), peer.window, job.remote + start, length);
            case READ -> {
                byte[] target = post.slot == null ? job.memory("a read") : in.bytes(post.slot);
                move(peer.window, job.remote + start, target, post.slot == null ? start : 0, length);
            }
            case SEND -> peer.arrive(post, post.empty ? new byte[0] : source(post), post.empty ? 0 : sourceStart(post));
            case RECEIVE -> throw new AssertionError("a receive on the wire");
        }
    }

    private byte[] source(Posts.Post post) {
        return post.slot == null ? ((SimulatedJob) post.job).memory("the adapter") : out.bytes(post.slot);
    }

    private int sourceStart(Posts.Post post) {
        return post.slot == null ? (int) (post.chunk * chunk) : 0;
    }

    private static void move(byte[] from, int fromStart, byte[] to, int toStart, int length) {
        System.arraycopy(from, fromStart, to, toStart, length);
    }

    private void arrive(Posts.Post sent, byte[] from, int fromStart) {
        Posts.Post post = receiveQueue.poll();
        assertThat(post).as("a receive for %s", sent.job).isNotNull();
        int length = sent.bytes();
        assertThat(length).as("%s for %s", sent.job, post.job).isLessThanOrEqualTo(post.bytes());
        if (length > 0) {
            byte[] target = post.slot == null ? ((SimulatedJob) post.job).memory("a receive") : in.bytes(post.slot);
            move(from, fromStart, target, post.slot == null ? (int) (post.chunk * chunk) : 0, length);
        }
        boolean aborted = sent.empty;
        boolean end = !aborted && sent.chunk == sent.job.chunks - 1;
        completions.add(() -> protocol.received(post.index(), length, end, aborted));
    }

    /** Polls a completion, if there is one. */
    boolean pollOne() {
        Runnable completion = completions.peek();
        if (completion == null) {
            return false;
        }
        // After an error it comes again.
        completion.run();
        completions.remove();
        return true;
    }

    /** One step of everything. */
    boolean move() {
        boolean moved = protocol.advance();
        moved |= deliverOne();
        moved |= pollOne();
        moved |= out.copyOne();
        return moved | in.copyOne();
    }

    /** From now on the adapter does nothing and reports nothing. */
    void vanish() {
        wire.clear();
        receiveQueue.clear();
        completions.clear();
        breakDown(new GpuTransferException("closed"));
        protocol.abandonPosts(failure);
    }

    /** {@return all jobs, a line each} */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(name);
        jobs.forEach(job -> text.append("\n  ").append(job));
        return text.toString();
    }
}
