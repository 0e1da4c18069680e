// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaResource;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.CudaWaitInterruptedException;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.gpudirect.internal.Undo;
import io.github.rdma4j.gpudirect.nccl.bindings.NcclHeaders;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongToIntFunction;

/**
 * One rank of a group of GPUs that compute together ({@code ncclComm_t}). Each rank has its own communicator and its
 * own GPU, in this process or another. Closing its context also closes it.
 *
 * <p>All ranks make the same calls in the same order. Each call returns when its work is in this rank's stream, which
 * waits for the other ranks. The slices determine the number of elements. Sizes, devices and overlaps are checked
 * before NCCL is called; the arguments of other ranks cannot be checked. Memory and streams may be closed at any time
 * afterwards: their close waits for the work.
 *
 * <p>NCCL reports failures later: in {@link #asyncError()},
 * {@link #await(CudaStream, Duration)} and each later call. A communicator that has failed can only be aborted.
 *
 * <p>Thread safety: all methods may be called from any thread, {@link #abort()} and {@link #asyncError()} even while
 * another thread blocks inside a call. An interrupt ends both methods {@code await}. Methods that begin or end
 * something continue to wait, for {@link NcclConfig#timeout} or {@link NcclConfig#closeTimeout} at most, and the
 * interrupt flag stays set.
 *
 * @since 0.1.0
 */
public final class NcclCommunicator implements AutoCloseable {
    /** The functions between two ranks; all others are collectives. */
    private static final Set<NcclFunction> FROM_RANK_TO_RANK = EnumSet.of(
            NcclFunction.SEND,
            NcclFunction.RECEIVE,
            NcclFunction.PUT_SIGNAL,
            NcclFunction.SIGNAL,
            NcclFunction.WAIT_SIGNAL);

    private final Connection connection;
    private final Set<AutoCloseable> parts = new LinkedHashSet<>();
    private final NcclConfig config;
    private final CudaContext context;
    private final Set<CudaStream> streams = Collections.newSetFromMap(new WeakHashMap<>());
    /** For a communicator that was split off: −1 until NCCL was queried. */
    private volatile int ranks;

    private volatile int rank;
    private volatile boolean revoked;

    /** Creates the object only: {@link #start} creates the communicator, or {@link #adopt} takes an existing one. */
    NcclCommunicator(Library library, CudaContext context, NcclConfig config, int ranks, int rank) {
        this.context = context;
        this.config = config;
        this.connection = new Connection(library, context, config.modeFor(library), config.timeout());
        this.ranks = ranks;
        this.rank = rank;
    }

    /**
     * Creates one rank, with the defaults of {@link NcclConfig} (ncclCommInitRankConfig).
     *
     * @param context the primary context of its GPU
     * @param ranks the number of ranks, 1 or more
     * @param rank the number of this rank, 0 to ranks − 1
     * @param id the same id for all ranks
     * @return the communicator, once all ranks have joined
     * @throws NcclException if NCCL refuses, for instance because two ranks use one GPU
     * @throws NcclTimeoutException if the other ranks have not joined in time
     * @throws NcclUnavailableException if NCCL cannot be used
     */
    public static NcclCommunicator init(CudaContext context, int ranks, int rank, NcclUniqueId id) {
        return init(context, ranks, rank, id, config -> {});
    }

    /**
     * Creates one rank (ncclCommInitRankConfig; before NCCL 2.14 ncclCommInitRank). One thread can create several ranks
     * in an {@link NcclGroup}.
     *
     * @param context the primary context of its GPU
     * @param ranks the number of ranks, 1 or more
     * @param rank the number of this rank, 0 to ranks − 1
     * @param id the same id for all ranks
     * @param settings sets the configuration
     * @return the communicator, once all ranks have joined; in a group or with {@link NcclMode#NON_BLOCKING}, before
     *     that
     * @throws NcclException if NCCL refuses, for instance because two ranks use one GPU
     * @throws NcclTimeoutException if the other ranks have not joined in time
     * @throws UnsupportedOperationException if the library is too old for a setting
     * @throws NcclUnavailableException if NCCL cannot be used
     */
    public static NcclCommunicator init(
            CudaContext context, int ranks, int rank, NcclUniqueId id, Consumer<NcclConfig> settings) {
        return Creation.init(context, ranks, rank, id, settings);
    }

    /**
     * Creates all ranks in this process, one on each GPU (a group of ncclCommInitRankConfig; before NCCL 2.14
     * ncclCommInitAll).
     *
     * @param contexts the primary contexts of different GPUs; rank n is on the n-th
     * @param settings sets the configuration of all ranks
     * @return the communicators in order, each to be closed
     * @throws NcclException if NCCL refuses
     * @throws NcclUnavailableException if NCCL cannot be used
     */
    public static List<NcclCommunicator> initAll(List<CudaContext> contexts, Consumer<NcclConfig> settings) {
        return Creation.initAll(contexts, settings);
    }

    /** Creates the native communicator. One that fails halfway is aborted. */
    void start(Connection caller, Step.Call words, IntSupplier call) {
        context.addDependent(this);
        NcclGroup.submit(new Step(caller, words, call, List.of(), () -> opened(caller), this::drop));
    }

    /** Takes a communicator that NCCL has already created. */
    void adopt(long handle) {
        connection.opened(handle);
        context.addDependent(this);
    }

    private void opened(Connection maker) {
        connection.opened();
        if (maker != connection) {
            maker.addChild(connection);
        }
    }

    /** Called if the creation has failed, or its group has. */
    void drop() {
        connection.opened();
        context.removeDependent(this);
        try {
            connection.abort();
        } catch (RuntimeException e) {
            // The first failure is thrown.
        }
    }

    Connection connection() {
        return connection;
    }

    /** {@return the context of its GPU} */
    public CudaContext context() {
        return context;
    }

    /** {@return the version of its NCCL library} */
    public NcclVersion version() {
        return connection.library.version();
    }

    /** {@return how its methods wait} */
    public NcclMode mode() {
        return connection.mode;
    }

    /** {@return the number of ranks} */
    public int ranks() {
        if (ranks < 0) {
            queryRanks();
        }
        return ranks;
    }

    /** {@return this rank's number, from 0} */
    public int rank() {
        if (rank < 0) {
            queryRanks();
        }
        return rank;
    }

    /**
     * Queries both numbers together. Each call needs the number of ranks first, so the message of a failed call, which
     * names the rank, does not query a communicator that has failed.
     */
    private void queryRanks() {
        rank = query(NcclFunction.COMM_USER_RANK);
        ranks = query(NcclFunction.COMM_COUNT);
    }

    /** {@return the number of its GPU in NCCL (ncclCommCuDevice)} */
    public int deviceOrdinal() {
        return query(NcclFunction.COMM_CUDA_DEVICE);
    }

    private int query(NcclFunction function) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(ValueLayout.JAVA_INT);
            inside(
                    () -> function.symbol() + "()",
                    handle -> connection.library.calls().pair(function, handle, value.address()));
            return value.get(ValueLayout.JAVA_INT, 0);
        }
    }

    /** Records a stream that is about to receive work, so that a close waits for it. */
    void uses(CudaStream stream) {
        if (stream.context() != context && stream.context().handle() != context.handle()) {
            throw new IllegalArgumentException(
                    "%s is of %s, and the communicator of %s".formatted(stream, stream.context(), context));
        }
        synchronized (streams) {
            streams.add(stream);
        }
    }

    /** {@return whether NCCL has finished all calls, so that their work is in the streams} */
    public boolean isReady() {
        return connection.state() != NcclStatus.IN_PROGRESS.number();
    }

    /**
     * Waits until NCCL has finished all calls, so that their work is in the streams. Only needed with
     * {@link NcclMode#NON_BLOCKING}.
     *
     * @param limit the longest wait
     * @throws NcclTimeoutException if NCCL has not finished in time
     * @throws NcclException if a call has failed
     * @throws IllegalStateException if it is closed or aborted, before or during the wait
     * @throws CudaWaitInterruptedException if the thread is interrupted; the calls continue
     */
    public void await(Duration limit) {
        connection.requireOpen();
        long start = System.nanoTime();
        connection.lockUnlessInterrupted(limit);
        try {
            connection.settleUnlessInterrupted(() -> "the last call of " + this, limit, start);
        } finally {
            connection.unlock();
        }
    }

    /**
     * Waits until a stream is done, and checks the communicator meanwhile: work that waits for a failed rank never
     * ends.
     *
     * @param stream with work of this communicator
     * @param limit the longest wait
     * @return whether it is done; false at the timeout
     * @throws NcclException if the communicator has failed
     * @throws io.github.rdma4j.cuda.CudaException if the work has failed
     * @throws IllegalStateException if the communicator or the stream is closed, before or during the wait
     * @throws CudaWaitInterruptedException if the thread is interrupted; the work continues
     */
    public boolean await(CudaStream stream, Duration limit) {
        return Limits.awaitUnlessInterrupted(
                () -> {
                    asyncError().ifPresent(failure -> {
                        throw failure;
                    });
                    return stream.isDone();
                },
                limit,
                "waiting for the work of " + this);
    }

    /**
     * Returns a failure of earlier work (ncclCommGetAsyncError).
     *
     * @return the failure, not thrown; empty if there is none, or calls have not finished
     * @throws IllegalStateException if it is closed or aborted
     */
    public Optional<NcclException> asyncError() {
        int state = connection.state();
        return state == NcclStatus.SUCCESS.number() || state == NcclStatus.IN_PROGRESS.number()
                ? Optional.empty()
                : Optional.of(connection.library.failure(state, "work of " + this, 0));
    }

    /**
     * Creates a communicator of the ranks that pass the same colour (ncclCommSplit). All ranks call it; ranks that do
     * not want a new communicator call {@link #leaveSplit()}.
     *
     * @param color 0 or more
     * @param key orders the ranks of a colour; ranks with equal keys keep their order
     * @return this rank's communicator, with the same mode and timeouts
     * @throws UnsupportedOperationException before NCCL 2.18.1
     * @throws NcclException if NCCL refuses
     */
    public NcclCommunicator split(int color, int key) {
        return new Splitting(this, connection, config).split(color, key);
    }

    /**
     * Takes part in a split of the other ranks without joining a new communicator (ncclCommSplit with
     * {@code NCCL_SPLIT_NOCOLOR}).
     *
     * @throws UnsupportedOperationException before NCCL 2.18.1
     * @throws NcclException if NCCL refuses
     */
    public void leaveSplit() {
        new Splitting(this, connection, config).leave();
    }

    /**
     * Creates a communicator without some ranks, which need not take part (ncclCommShrink). This communicator remains.
     *
     * @param excluded ranks of this communicator, at least one, and not this rank
     * @param abort whether to end pending operations of this rank first, as after a failure; then this communicator can
     *     only be closed
     * @return this rank's communicator, with the same mode and timeouts
     * @throws UnsupportedOperationException before NCCL 2.27.3
     * @throws NcclException if NCCL refuses
     */
    public NcclCommunicator shrink(List<Integer> excluded, boolean abort) {
        if (excluded.isEmpty() || excluded.contains(rank())) {
            throw new IllegalArgumentException("excluded ranks %s: one or more others".formatted(excluded));
        }
        excluded.forEach(each -> Checks.rank("excluded rank", each, ranks()));
        connection.library.require(NcclFunction.COMM_SHRINK);
        revoked |= abort;
        return new Splitting(this, connection, config).shrink(excluded, abort);
    }

    /**
     * Ends all pending operations of this rank alone (ncclCommRevoke). Then the communicator can be split, shrunk or
     * closed. All ranks must call it.
     *
     * @throws UnsupportedOperationException before NCCL 2.28.7
     * @throws NcclException if NCCL refuses
     */
    public void revoke() {
        connection.library.require(NcclFunction.COMM_REVOKE);
        connection.requireOpen();
        revoked = true;
        NcclGroup.submit(new Step(
                connection,
                () -> "ncclCommRevoke()",
                () -> connection
                        .library
                        .calls()
                        .call(NcclFunction.COMM_REVOKE, connection.handle(), NcclHeaders.NCCL_REVOKE_DEFAULT())));
    }

    /**
     * Releases the communicator's device memory temporarily (ncclCommSuspend). It cannot be used until {@link #resume}.
     * Its work must be complete.
     *
     * @throws UnsupportedOperationException before NCCL 2.29.7
     * @throws NcclException if NCCL refuses
     */
    public void suspend() {
        connection.library.require(NcclFunction.COMM_SUSPEND);
        inside(
                () -> "ncclCommSuspend(NCCL_SUSPEND_MEM)",
                handle -> connection
                        .library
                        .calls()
                        .call(NcclFunction.COMM_SUSPEND, handle, NcclHeaders.NCCL_SUSPEND_MEM()));
    }

    /**
     * Allocates the device memory again (ncclCommResume).
     *
     * @throws UnsupportedOperationException before NCCL 2.29.7
     * @throws NcclException if NCCL refuses
     */
    public void resume() {
        connection.library.require(NcclFunction.COMM_RESUME);
        inside(() -> "ncclCommResume()", handle -> connection.library.calls().call(NcclFunction.COMM_RESUME, handle));
    }

    /**
     * Returns how much device memory the communicator uses, in bytes (ncclCommMemStats).
     *
     * @return the total that NCCL counts
     * @throws UnsupportedOperationException before NCCL 2.29.7
     * @throws NcclException if NCCL refuses
     */
    public long deviceMemory() {
        connection.library.require(NcclFunction.COMM_MEMORY_STATS);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(ValueLayout.JAVA_LONG);
            inside(
                    () -> "ncclCommMemStats()",
                    handle -> connection
                            .library
                            .calls()
                            .call(
                                    NcclFunction.COMM_MEMORY_STATS,
                                    handle,
                                    NcclHeaders.ncclStatGpuMemTotal(),
                                    value.address()));
            return value.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    /** {@return whether it can be used: neither closed nor aborted} */
    public boolean isOpen() {
        return (connection.isBeingCreated() || connection.isOpen()) && !connection.isAborted();
    }

    /**
     * Ends it at once, with all pending operations (ncclCommAbort); a second call does nothing. The contents of the
     * memory of pending operations are undefined then. A call in which another thread blocks ends with an exception. A
     * communicator that is being created from another one ends when NCCL has created it, or with the other one.
     *
     * @throws NcclException if NCCL refuses; the communicator counts as ended
     */
    public void abort() {
        if (isOpen()) {
            try {
                connection.abort();
            } finally {
                leave();
            }
        }
    }

    /** Closes the parts of an ended communicator. */
    private void leave() {
        new Closing(this, connection, context, config.closeTimeout()).closeParts(parts());
        context.removeDependent(this);
    }

    /**
     * Waits for the work in its streams and destroys it (ncclCommFinalize, ncclCommDestroy); a second call does
     * nothing. If {@link NcclConfig#closeTimeout} passes first, or the communicator has failed, it is aborted.
     *
     * @throws NcclTimeoutException if it was aborted because of the timeout
     * @throws NcclException if NCCL refuses; the communicator counts as closed
     */
    @Override
    public void close() {
        if (!isOpen()) {
            return;
        }
        try {
            new Closing(this, connection, context, config.closeTimeout()).run(parts(), usedStreams(), revoked);
        } finally {
            context.removeDependent(this);
        }
    }

    private List<CudaStream> usedStreams() {
        synchronized (streams) {
            return List.copyOf(streams);
        }
    }

    /**
     * Reduces the elements of all ranks; every rank receives the result (ncclAllReduce).
     *
     * @param send this rank's elements
     * @param receive of the same length; the same memory, or without overlap
     * @param type of the elements
     * @param reduction the operation
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices are incompatible
     * @throws UnsupportedOperationException if the library is too old for the type or the reduction
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void allReduce(
            DeviceSlice send, DeviceSlice receive, NcclDataType type, NcclReduction reduction, CudaStream stream) {
        long count = elements("send", send, type);
        elements("receive", receive, type);
        Checks.length("receive", receive, send.length(), "as send");
        Checks.overlap(send, receive, send, receive);
        int operation = operation(reduction, type);
        queue(
                NcclFunction.ALL_REDUCE,
                () -> "ncclAllReduce(count=%d, %s, %s, rank=%d)".formatted(count, type, reduction, rank()),
                (from, to, at, on) -> connection
                        .library
                        .calls()
                        .collective(NcclFunction.ALL_REDUCE, from, to, count, type.code(), operation, at, on),
                send,
                receive,
                stream);
    }

    /**
     * Reduces the elements of all ranks; one rank receives the result (ncclReduce).
     *
     * @param send this rank's elements
     * @param receive of the same length; the same memory, or without overlap; null on ranks that are not the root
     * @param type of the elements
     * @param reduction the operation
     * @param root the rank that receives the result
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices are incompatible
     * @throws UnsupportedOperationException if the library is too old for the type or the reduction
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void reduce(
            DeviceSlice send,
            DeviceSlice receive,
            NcclDataType type,
            NcclReduction reduction,
            int root,
            CudaStream stream) {
        long count = elements("send", send, type);
        Checks.rank("root", root, ranks());
        boolean isRoot = isRootWith("receive", receive, root);
        if (isRoot) {
            elements("receive", receive, type);
            Checks.length("receive", receive, send.length(), "as send");
            Checks.overlap(send, receive, send, receive);
        }
        int operation = operation(reduction, type);
        queue(
                NcclFunction.REDUCE,
                () -> "ncclReduce(count=%d, %s, %s, root=%d, rank=%d)".formatted(count, type, reduction, root, rank()),
                (from, to, at, on) ->
                        connection.library.calls().reduce(from, to, count, type.code(), operation, root, at, on),
                send,
                isRoot ? receive : null,
                stream);
    }

    /**
     * Copies the elements of one rank to all (ncclBroadcast).
     *
     * @param send the root's elements; null on other ranks
     * @param receive of the same length; on the root the same memory, or without overlap
     * @param type of the elements
     * @param root the rank that sends the elements
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices are incompatible
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void broadcast(DeviceSlice send, DeviceSlice receive, NcclDataType type, int root, CudaStream stream) {
        long count = elements("receive", receive, type);
        Checks.rank("root", root, ranks());
        boolean isRoot = isRootWith("send", send, root);
        if (isRoot) {
            elements("send", send, type);
            Checks.length("send", send, receive.length(), "as receive");
            Checks.overlap(send, receive, send, receive);
        }
        rooted(NcclFunction.BROADCAST, count, type, root, isRoot ? send : null, receive, stream);
    }

    /**
     * Concatenates the elements of all ranks; every rank receives all of them (ncclAllGather).
     *
     * @param send this rank's elements
     * @param receive as long as the elements of all ranks; send may be this rank's part of it
     * @param type of the elements
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices are incompatible
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void allGather(DeviceSlice send, DeviceSlice receive, NcclDataType type, CudaStream stream) {
        long count = elements("send", send, type);
        elements("receive", receive, type);
        Checks.length("receive", receive, Math.multiplyExact(send.length(), ranks()), "ranks times send");
        Checks.overlap(send, receive, part(receive, send.length(), rank()), send);
        unrooted(NcclFunction.ALL_GATHER, count, type, send, receive, stream);
    }

    /**
     * Reduces the elements of all ranks; every rank receives its part of the result (ncclReduceScatter).
     *
     * @param send a part for each rank
     * @param receive for this rank's part; it may be that part of send
     * @param type of the elements
     * @param reduction the operation
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices are incompatible
     * @throws UnsupportedOperationException if the library is too old for the type or the reduction
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void reduceScatter(
            DeviceSlice send, DeviceSlice receive, NcclDataType type, NcclReduction reduction, CudaStream stream) {
        long count = elements("receive", receive, type);
        elements("send", send, type);
        Checks.length("send", send, Math.multiplyExact(receive.length(), ranks()), "ranks times receive");
        Checks.overlap(send, receive, part(send, receive.length(), rank()), receive);
        int operation = operation(reduction, type);
        queue(
                NcclFunction.REDUCE_SCATTER,
                () -> "ncclReduceScatter(count=%d, %s, %s, rank=%d)".formatted(count, type, reduction, rank()),
                (from, to, at, on) -> connection
                        .library
                        .calls()
                        .collective(NcclFunction.REDUCE_SCATTER, from, to, count, type.code(), operation, at, on),
                send,
                receive,
                stream);
    }

    /**
     * Sends a part of the elements of each rank to each rank (ncclAlltoAll).
     *
     * @param send a part for each rank, in order
     * @param receive of the same length, without overlap: a part from each rank
     * @param type of the elements
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices are incompatible, or the elements cannot be divided among the
     *     ranks
     * @throws UnsupportedOperationException before NCCL 2.28.3; a group of sends and receives does the same
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void allToAll(DeviceSlice send, DeviceSlice receive, NcclDataType type, CudaStream stream) {
        long all = elements("send", send, type);
        elements("receive", receive, type);
        Checks.length("receive", receive, send.length(), "as send");
        if (all % ranks() != 0) {
            throw new IllegalArgumentException(
                    "%d elements are no whole number for each of %d ranks".formatted(all, ranks()));
        }
        Checks.overlap(send, receive, null, receive);
        unrooted(NcclFunction.ALL_TO_ALL, all / ranks(), type, send, receive, stream);
    }

    /**
     * Concatenates the elements of all ranks on one rank (ncclGather).
     *
     * @param send this rank's elements
     * @param receive as long as the elements of all ranks; send may be the root's part of it; null on other ranks
     * @param type of the elements
     * @param root the rank that receives the elements
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices are incompatible
     * @throws UnsupportedOperationException before NCCL 2.28.3
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void gather(DeviceSlice send, DeviceSlice receive, NcclDataType type, int root, CudaStream stream) {
        long count = elements("send", send, type);
        Checks.rank("root", root, ranks());
        boolean isRoot = isRootWith("receive", receive, root);
        if (isRoot) {
            elements("receive", receive, type);
            Checks.length("receive", receive, Math.multiplyExact(send.length(), ranks()), "ranks times send");
            Checks.overlap(send, receive, part(receive, send.length(), root), send);
        }
        rooted(NcclFunction.GATHER, count, type, root, send, isRoot ? receive : null, stream);
    }

    /**
     * Sends each rank a part of one rank's elements (ncclScatter).
     *
     * @param send a part for each rank; null on ranks that are not the root
     * @param receive for this rank's part; on the root it may be that part of send
     * @param type of the elements
     * @param root the rank that sends the elements
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices are incompatible
     * @throws UnsupportedOperationException before NCCL 2.28.3
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void scatter(DeviceSlice send, DeviceSlice receive, NcclDataType type, int root, CudaStream stream) {
        long count = elements("receive", receive, type);
        Checks.rank("root", root, ranks());
        boolean isRoot = isRootWith("send", send, root);
        if (isRoot) {
            elements("send", send, type);
            Checks.length("send", send, Math.multiplyExact(receive.length(), ranks()), "ranks times receive");
            Checks.overlap(send, receive, part(send, receive.length(), root), receive);
        }
        rooted(NcclFunction.SCATTER, count, type, root, isRoot ? send : null, receive, stream);
    }

    /**
     * Sends to one rank, which must receive the same number of elements of the same type (ncclSend). The stream waits
     * for the transfer, so put sends and receives that need each other into one {@link NcclGroup}.
     *
     * @param from the elements
     * @param type of the elements
     * @param peer the receiving rank
     * @param stream of the communicator's context
     * @throws UnsupportedOperationException before NCCL 2.7.3
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void send(DeviceSlice from, NcclDataType type, int peer, CudaStream stream) {
        peer(NcclFunction.SEND, "from", from, type, peer, stream);
    }

    /**
     * Receives from one rank, which must send the same number of elements of the same type (ncclRecv).
     *
     * @param to the target of the elements
     * @param type of the elements
     * @param peer the sending rank
     * @param stream of the communicator's context
     * @throws UnsupportedOperationException before NCCL 2.7.3
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void receive(DeviceSlice to, NcclDataType type, int peer, CudaStream stream) {
        peer(NcclFunction.RECEIVE, "to", to, type, peer, stream);
    }

    private void peer(
            NcclFunction function, String name, DeviceSlice slice, NcclDataType type, int peer, CudaStream stream) {
        long count = elements(name, slice, type);
        Checks.rank("peer", peer, ranks());
        queue(
                function,
                () -> "%s(count=%d, %s, peer=%d, rank=%d)".formatted(function.symbol(), count, type, peer, rank()),
                (from, to, at, on) -> connection.library.calls().peer(function, from, count, type.code(), peer, at, on),
                slice,
                null,
                stream);
    }

    private void rooted(
            NcclFunction function,
            long count,
            NcclDataType type,
            int root,
            DeviceSlice send,
            DeviceSlice receive,
            CudaStream stream) {
        queue(
                function,
                () -> "%s(count=%d, %s, root=%d, rank=%d)".formatted(function.symbol(), count, type, root, rank()),
                (from, to, at, on) ->
                        connection.library.calls().collective(function, from, to, count, type.code(), root, at, on),
                send,
                receive,
                stream);
    }

    private void unrooted(
            NcclFunction function,
            long count,
            NcclDataType type,
            DeviceSlice send,
            DeviceSlice receive,
            CudaStream stream) {
        queue(
                function,
                () -> "%s(count=%d, %s, rank=%d)".formatted(function.symbol(), count, type, rank()),
                (from, to, at, on) ->
                        connection.library.calls().collective(function, from, to, count, type.code(), at, on),
                send,
                receive,
                stream);
    }

    private long elements(String name, DeviceSlice slice, NcclDataType type) {
        connection.requireOpen();
        type.requireKnown(connection.library);
        return Checks.elements(this, name, slice, type);
    }

    /** Returns whether this rank is the root, which needs the slice. Other ranks ignore it. */
    private boolean isRootWith(String name, DeviceSlice slice, int root) {
        if (rank() == root && slice == null) {
            throw new IllegalArgumentException("rank %d is the root and has no %s".formatted(root, name));
        }
        return rank() == root;
    }

    private static DeviceSlice part(DeviceSlice whole, long length, int number) {
        return whole.slice(number * length, length);
    }

    private int operation(NcclReduction reduction, NcclDataType type) {
        return switch (reduction) {
            case NcclOperation operation -> {
                operation.requireKnown(connection.library);
                yield operation.code();
            }
            case NcclScaledSum sum -> sum.codeFor(this, type);
        };
    }

    /** A call with two addresses, either of which may be 0. */
    interface Call {
        int make(long send, long receive, long communicator, long stream);
    }

    void queue(
            NcclFunction function,
            Step.Call words,
            Call call,
            DeviceSlice send,
            DeviceSlice receive,
            CudaStream stream) {
        connection.library.require(function);
        uses(stream);
        List<CudaResource> uses = new ArrayList<>(3);
        uses.add(stream);
        long from = use(send, uses);
        long to = use(receive, uses);
        long on = stream.handle();
        NcclGroup.submit(
                new Step(
                        connection,
                        words,
                        () -> call.make(from, to, connection.handle(), on),
                        uses,
                        Step.NOTHING,
                        Step.NOTHING),
                ranks() == 1 && !FROM_RANK_TO_RANK.contains(function));
    }

    private static long use(DeviceSlice slice, List<CudaResource> uses) {
        if (slice == null) {
            return 0;
        }
        uses.add(slice.memory());
        return slice.address();
    }

    /**
     * Creates a sum of elements that are first multiplied by a factor (ncclRedOpCreatePreMulSum).
     *
     * @param type of the elements
     * @param factor of this rank; rounded to the type
     * @return the reduction for this communicator, to be closed
     * @throws UnsupportedOperationException before NCCL 2.11.4
     * @throws NcclException if NCCL refuses
     */
    public NcclScaledSum createScaledSum(NcclDataType type, double factor) {
        try (Arena arena = Arena.ofConfined()) {
            return scaledSum(type, Scalars.store(arena, type, factor).address(), NcclHeaders.ncclScalarHostImmediate());
        }
    }

    /**
     * Creates a sum of elements that are first multiplied by a factor in device memory, which is read when the work
     * runs (ncclRedOpCreatePreMulSum).
     *
     * @param type of the elements
     * @param factor one element, which must stay valid until all work with it is complete
     * @return the reduction for this communicator, to be closed
     * @throws UnsupportedOperationException before NCCL 2.11.4
     * @throws NcclException if NCCL refuses
     */
    public NcclScaledSum createScaledSum(NcclDataType type, DeviceSlice factor) {
        Checks.elements(this, "factor", factor, type);
        Checks.length("factor", factor, type.size(), "one element");
        return scaledSum(type, factor.address(), NcclHeaders.ncclScalarDevice());
    }

    private NcclScaledSum scaledSum(NcclDataType type, long scalar, int residence) {
        connection.library.require(NcclFunction.OPERATOR_CREATE_PRE_MUL_SUM);
        type.requireKnown(connection.library);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment code = arena.allocate(ValueLayout.JAVA_INT);
            inside(
                    () -> "ncclRedOpCreatePreMulSum(%s)".formatted(type),
                    handle -> connection
                            .library
                            .calls()
                            .call(
                                    NcclFunction.OPERATOR_CREATE_PRE_MUL_SUM,
                                    code.address(),
                                    scalar,
                                    type.code(),
                                    residence,
                                    handle));
            NcclScaledSum sum = new NcclScaledSum(this, type, code.get(ValueLayout.JAVA_INT, 0));
            add(sum);
            return sum;
        }
    }

    /**
     * Registers memory with NCCL that is often sent and received (ncclCommRegister).
     *
     * @param slice of the communicator's device, preferably of {@link Nccl#allocate}
     * @return the registration; close it before or with the memory or the communicator
     * @throws UnsupportedOperationException before NCCL 2.19.1
     * @throws NcclException if NCCL refuses
     */
    public NcclRegistration register(DeviceSlice slice) {
        connection.library.require(NcclFunction.COMM_REGISTER);
        Checks.elements(this, "memory", slice, NcclDataType.UINT8);
        ResourceUse held = ResourceUse.enter(slice.memory());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(ValueLayout.JAVA_LONG);
            inside(
                    () -> "ncclCommRegister(0x%x, %d)".formatted(slice.address(), slice.length()),
                    at -> connection
                            .library
                            .calls()
                            .call(NcclFunction.COMM_REGISTER, at, slice.address(), slice.length(), handle.address()));
            NcclRegistration made = new NcclRegistration(this, slice, handle.get(ValueLayout.JAVA_LONG, 0));
            keep(slice.memory(), made);
            return made;
        } finally {
            held.exit();
        }
    }

    private void keep(DeviceMemory memory, AutoCloseable made) {
        add(made);
        memory.addDependent(made);
    }

    /**
     * Registers a part of each rank's memory together, so that other ranks can write to it (ncclCommWindowRegister).
     * All ranks call it; one thread that runs several ranks does so in a group.
     *
     * @param slice of {@link Nccl#allocate}, with an address that is a multiple of 4096
     * @param symmetric whether all ranks pass the same offset in memory of the same size, which faster algorithms need
     *     ({@code NCCL_WIN_COLL_SYMMETRIC})
     * @return this rank's window, to be closed
     * @throws UnsupportedOperationException before NCCL 2.27.3
     * @throws NcclException if NCCL refuses
     */
    public NcclWindow registerWindow(DeviceSlice slice, boolean symmetric) {
        connection.library.require(NcclFunction.COMM_WINDOW_REGISTER);
        Checks.elements(this, "memory", slice, NcclDataType.UINT8);
        if (slice.address() % NcclHeaders.NCCL_WIN_REQUIRED_ALIGNMENT() != 0) {
            throw new IllegalArgumentException("%s: its address 0x%x is no multiple of %d"
                    .formatted(slice, slice.address(), NcclHeaders.NCCL_WIN_REQUIRED_ALIGNMENT()));
        }
        int flags = symmetric ? NcclHeaders.NCCL_WIN_COLL_SYMMETRIC() : NcclHeaders.NCCL_WIN_DEFAULT();
        MemorySegment slot = connection.arena().allocate(ValueLayout.JAVA_LONG);
        NcclWindow made = new NcclWindow(this, slice, slot);
        long address = slice.address();
        NcclGroup.submit(new Step(
                connection,
                () -> "ncclCommWindowRegister(0x%x, %d)".formatted(address, slice.length()),
                () -> connection
                        .library
                        .calls()
                        .call(
                                NcclFunction.COMM_WINDOW_REGISTER,
                                connection.handle(),
                                address,
                                slice.length(),
                                slot.address(),
                                flags),
                List.of(slice.memory()),
                () -> keep(slice.memory(), made),
                Step.NOTHING));
        return made;
    }

    /**
     * Writes into another rank's window and signals it (ncclPutSignal).
     *
     * @param from the elements
     * @param type of the elements
     * @param peer the rank whose part of the window is written
     * @param window of this communicator
     * @param offset in bytes in the peer's part
     * @param stream of the communicator's context
     * @throws UnsupportedOperationException before NCCL 2.29.2
     * @throws NcclException if NCCL refuses
     */
    public void put(DeviceSlice from, NcclDataType type, int peer, NcclWindow window, long offset, CudaStream stream) {
        OneSided.put(this, from, type, peer, window, offset, stream);
    }

    /**
     * Signals another rank (ncclSignal).
     *
     * @param peer the other rank
     * @param stream of the communicator's context
     * @throws UnsupportedOperationException before NCCL 2.29.2
     * @throws NcclException if NCCL refuses
     */
    public void signal(int peer, CudaStream stream) {
        OneSided.signal(this, peer, stream);
    }

    /**
     * Makes a stream wait for signals of another rank (ncclWaitSignal). Data that was put before the signals has then
     * arrived.
     *
     * @param peer the other rank
     * @param signals the number of signals, 1 or more
     * @param stream of the communicator's context
     * @throws UnsupportedOperationException before NCCL 2.29.2
     * @throws NcclException if NCCL refuses
     */
    public void waitSignal(int peer, int signals, CudaStream stream) {
        OneSided.waitSignal(this, peer, signals, stream);
    }

    /** Makes a call that is complete when it returns, and is not part of a group. */
    void inside(Step.Call words, LongToIntFunction call) {
        connection.requireOpen();
        connection.lock();
        try {
            connection.settle(words, connection.timeout);
            connection.context.makeCurrentForCall();
            long handle = connection.handle();
            connection.library.check(call.applyAsInt(handle), words, handle);
        } finally {
            connection.unlock();
        }
    }

    /** Removes a part that belongs to memory from the lists of the memory and of the communicator. */
    void forget(AutoCloseable part, DeviceMemory memory) {
        memory.removeDependent(part);
        forget(part);
    }

    /**
     * Releases a part in NCCL, unless the communicator has ended, and the part with it. Also releases it if an earlier
     * call has failed, because there is no second attempt.
     *
     * @throws CudaCloseTimeoutException if another thread is inside a call for too long; NCCL was not called
     */
    void giveBack(String words, LongToIntFunction call) {
        if (connection.isAborted() || !connection.isOpen()) {
            return;
        }
        if (!connection.tryLock(connection.timeout)) {
            throw new CudaCloseTimeoutException(
                    "%s: another thread is inside a call of %s for longer than %s. Wait for the other ranks, or"
                                    .formatted(words, this, TimeText.of(connection.timeout))
                            + " abort() the communicator; close it again");
        }
        try {
            NcclException first = null;
            try {
                connection.settle(() -> words, connection.timeout);
            } catch (NcclException e) {
                first = e;
            }
            if (!connection.isOpen()) {
                // The communicator ended meanwhile.
                return;
            }
            if (first != null) {
                Undo.after(first, () -> giveBack(connection, words, call));
                throw first;
            }
            giveBack(connection, words, call);
        } finally {
            connection.unlock();
        }
    }

    private static void giveBack(Connection connection, String words, LongToIntFunction call) {
        connection.context.makeCurrentForCall();
        long handle = connection.handle();
        connection.library.check(call.applyAsInt(handle), words, handle);
    }

    void forget(AutoCloseable part) {
        synchronized (parts) {
            parts.remove(part);
        }
    }

    private void add(AutoCloseable part) {
        synchronized (parts) {
            parts.add(part);
        }
    }

    /** Returns the open parts, the newest first. */
    List<AutoCloseable> parts() {
        synchronized (parts) {
            return new ArrayList<>(parts).reversed();
        }
    }

    /** {@return the rank and the device} */
    @Override
    public String toString() {
        return "NCCL communicator%s on %s"
                .formatted(ranks < 0 ? "" : ", rank %d of %d,".formatted(rank, ranks), context.device());
    }
}
