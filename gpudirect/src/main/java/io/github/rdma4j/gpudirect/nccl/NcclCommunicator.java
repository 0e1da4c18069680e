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
 * before NCCL is called; what other ranks pass cannot be checked. Memory and streams may be closed at any time
 * afterwards: their close waits for the work.
 *
 * <p>NCCL reports failures later: in {@link #asyncError()},
 * {@link #await(CudaStream, Duration)} and each later call. A communicator that has failed can only be aborted.
 *
 * <p>Thread safety: all methods may be called from any thread, {@link #abort()} and {@link #asyncError()} also while
 * another is held inside a call. An interrupt ends the two methods {@code await}; what begins or ends something waits
 * on, for {@link NcclConfig#timeout} or {@link NcclConfig#closeTimeout} at most, and the interrupt status stays.
 *
 * @since 0.1.0
 */
public final class NcclCommunicator implements AutoCloseable {
    /** The others are collectives. */
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
    /** −1 until NCCL was asked, for one that was split off. */
    private volatile int ranks;

    private volatile int rank;
    private volatile boolean revoked;

    /** Not there yet: {@link #start} makes it, or {@link #adopt} takes what was made. */
    NcclCommunicator(Library library, CudaContext context, NcclConfig config, int ranks, int rank) {
        this.context = context;
        this.config = config;
        this.connection = new Connection(library, context, config.modeFor(library), config.timeout());
        this.ranks = ranks;
        this.rank = rank;
    }

    /**
     * One rank, with what {@link NcclConfig} has by default (ncclCommInitRankConfig).
     *
     * @param context the primary one of its GPU
     * @param ranks how many there are, 1 or more
     * @param rank this one's number, 0 to ranks − 1
     * @param id the same for all ranks
     * @return when all ranks have come
     * @throws NcclException if NCCL refuses: two ranks on one GPU, for instance
     * @throws NcclTimeoutException if the others have not come in time
     * @throws NcclUnavailableException if NCCL cannot be used
     */
    public static NcclCommunicator init(CudaContext context, int ranks, int rank, NcclUniqueId id) {
        return init(context, ranks, rank, id, config -> {});
    }

    /**
     * One rank (ncclCommInitRankConfig, before NCCL 2.14 ncclCommInitRank). In a {@link NcclGroup}, several by one
     * thread.
     *
     * @param context the primary one of its GPU
     * @param ranks how many there are, 1 or more
     * @param rank this one's number, 0 to ranks − 1
     * @param id the same for all ranks
     * @param settings sets the configuration
     * @return when all ranks have come; in a group, or with {@link NcclMode#NON_BLOCKING}, to be awaited
     * @throws NcclException if NCCL refuses: two ranks on one GPU, for instance
     * @throws NcclTimeoutException if the others have not come in time
     * @throws UnsupportedOperationException if the library is too old for a setting
     * @throws NcclUnavailableException if NCCL cannot be used
     */
    public static NcclCommunicator init(
            CudaContext context, int ranks, int rank, NcclUniqueId id, Consumer<NcclConfig> settings) {
        return Founding.init(context, ranks, rank, id, settings);
    }

    /**
     * All ranks in this process, one on each GPU (a group of ncclCommInitRankConfig; before NCCL 2.14 ncclCommInitAll).
     *
     * @param contexts the primary ones of different GPUs; rank n is on the n-th
     * @param settings sets the configuration of all
     * @return as many, in order, each to be closed
     * @throws NcclException if NCCL refuses
     * @throws NcclUnavailableException if NCCL cannot be used
     */
    public static List<NcclCommunicator> initAll(List<CudaContext> contexts, Consumer<NcclConfig> settings) {
        return Founding.initAll(contexts, settings);
    }

    /** Makes the native object; what fails half-way is aborted. */
    void start(Connection caller, Step.Call words, IntSupplier call) {
        context.addDependent(this);
        NcclGroup.submit(new Step(caller, words, call, List.of(), () -> opened(caller), this::drop));
    }

    /** NCCL has made it already. */
    void adopt(long handle) {
        connection.opened(handle);
        context.addDependent(this);
    }

    private void opened(Connection maker) {
        connection.opened();
        if (maker != connection) {
            maker.makes(connection);
        }
    }

    /** Its making has failed, or its group has. */
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

    /** {@return the version of NCCL that it is of} */
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
            ranks = ask(NcclFunction.COMM_COUNT);
        }
        return ranks;
    }

    /** {@return this rank's number, from 0} */
    public int rank() {
        if (rank < 0) {
            rank = ask(NcclFunction.COMM_USER_RANK);
        }
        return rank;
    }

    /** {@return the number of its GPU, as NCCL has it (ncclCommCuDevice)} */
    public int deviceOrdinal() {
        return ask(NcclFunction.COMM_CUDA_DEVICE);
    }

    private int ask(NcclFunction function) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(ValueLayout.JAVA_INT);
            inside(
                    () -> function.symbol() + "()",
                    handle -> connection.library.calls().pair(function, handle, value.address()));
            return value.get(ValueLayout.JAVA_INT, 0);
        }
    }

    /** A stream that is about to be given work, which a close has to wait for. */
    void uses(CudaStream stream) {
        if (stream.context() != context && stream.context().handle() != context.handle()) {
            throw new IllegalArgumentException(
                    "%s is of %s, and the communicator of %s".formatted(stream, stream.context(), context));
        }
        synchronized (streams) {
            streams.add(stream);
        }
    }

    /** {@return whether NCCL is through with all calls: their work is in the streams} */
    public boolean isReady() {
        return connection.state() != NcclStatus.IN_PROGRESS.number();
    }

    /**
     * Waits until NCCL is through with all calls, and their work is in the streams. Needed with
     * {@link NcclMode#NON_BLOCKING} only.
     *
     * @param limit how long at most
     * @throws NcclTimeoutException if it is not in time
     * @throws NcclException if a call has failed
     * @throws IllegalStateException if it is closed or aborted, before or meanwhile
     * @throws CudaWaitInterruptedException if the thread is interrupted; the calls go on
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
     * Waits until a stream is done, and watches the communicator meanwhile: work that waits for a rank which is gone
     * never ends.
     *
     * @param stream with work of this communicator
     * @param limit how long at most
     * @return whether it is done; false if the time is over
     * @throws NcclException if the communicator has failed
     * @throws io.github.rdma4j.cuda.CudaException if the work has
     * @throws IllegalStateException if communicator or stream are closed, before or meanwhile
     * @throws CudaWaitInterruptedException if the thread is interrupted; the work goes on
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
     * What has failed since (ncclCommGetAsyncError).
     *
     * @return as an exception that is not thrown; empty if all is well, or not over
     * @throws IllegalStateException if it is closed or aborted
     */
    public Optional<NcclException> asyncError() {
        int state = connection.state();
        return state == NcclStatus.SUCCESS.number() || state == NcclStatus.IN_PROGRESS.number()
                ? Optional.empty()
                : Optional.of(connection.library.failure(state, "work of " + this, 0));
    }

    /**
     * Makes a communicator of those ranks that give the same colour (ncclCommSplit). All ranks call it, those that want
     * none {@link #leaveSplit()}.
     *
     * @param color 0 or more
     * @param key orders the ranks of a colour; equal ones by their ranks here
     * @return this rank's, of the same mode and limits
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
     * Makes a communicator without some ranks, which need not take part (ncclCommShrink); this one stays as it is.
     *
     * @param excluded ranks of this one, one or more, and not this rank
     * @param abort whether operations that are under way here are ended first: after a failure; then this one can only
     *     be closed
     * @return this rank's, of the same mode and limits
     * @throws UnsupportedOperationException before NCCL 2.27.3
     * @throws NcclException if NCCL refuses
     */
    public NcclCommunicator shrink(List<Integer> excluded, boolean abort) {
        if (excluded.isEmpty() || excluded.contains(rank())) {
            throw new IllegalArgumentException("excluded ranks %s: one or more others".formatted(excluded));
        }
        excluded.forEach(each -> Checks.rank("excluded rank", each, ranks()));
        revoked |= abort;
        return new Splitting(this, connection, config).shrink(excluded, abort);
    }

    /**
     * Ends all operations that are under way, of this rank alone (ncclCommRevoke); then it can be split, shrunk or
     * closed. All ranks do it.
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
     * Gives the communicator's device memory back for a while (ncclCommSuspend); until {@link #resume} it cannot be
     * used. Its work must be done.
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
     * Takes device memory again (ncclCommResume).
     *
     * @throws UnsupportedOperationException before NCCL 2.29.7
     * @throws NcclException if NCCL refuses
     */
    public void resume() {
        connection.library.require(NcclFunction.COMM_RESUME);
        inside(() -> "ncclCommResume()", handle -> connection.library.calls().call(NcclFunction.COMM_RESUME, handle));
    }

    /**
     * How much device memory the communicator has, in bytes (ncclCommMemStats).
     *
     * @return all that NCCL counts
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

    /** {@return whether it can be used: not closed, not aborted} */
    public boolean isOpen() {
        return (connection.isBeingMade() || connection.isOpen()) && !connection.isAborted();
    }

    /**
     * Ends it at once, with all that is under way (ncclCommAbort); a second time does nothing. What the memory of
     * operations under way has in it then is undefined. A thread that is held inside a call leaves it with an
     * exception. One that is being made of another is ended when NCCL has made it, or with the other.
     *
     * @throws NcclException if NCCL refuses; it counts as ended
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

    /** Parts are gone with it. */
    private void leave() {
        new Closing(this, connection, context, config.closeTimeout()).closeParts(parts());
        context.removeDependent(this);
    }

    /**
     * Gives it back (ncclCommFinalize, ncclCommDestroy) when the work in its streams is done; a second time does
     * nothing. It never waits longer than {@link NcclConfig#closeTimeout}: then, and if the communicator has failed, it
     * is aborted.
     *
     * @throws NcclTimeoutException if it was aborted because the time was over
     * @throws NcclException if NCCL refuses; it counts as closed
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
     * Reduces the elements of all ranks, and each gets the result (ncclAllReduce).
     *
     * @param send this rank's elements
     * @param receive as long; the same place, or one apart
     * @param type of the elements
     * @param reduction how
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices do not fit
     * @throws UnsupportedOperationException if the library is too old for type or reduction
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
     * Reduces the elements of all ranks, and one gets the result (ncclReduce).
     *
     * @param send this rank's elements
     * @param receive as long; the same place, or one apart; null on ranks that are not the root
     * @param type of the elements
     * @param reduction how
     * @param root the rank that gets the result
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices do not fit
     * @throws UnsupportedOperationException if the library is too old for type or reduction
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
     * @param send the root's elements; null on the others
     * @param receive as long; on the root the same place, or one apart
     * @param type of the elements
     * @param root the rank that has them
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices do not fit
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
     * Puts the elements of all ranks side by side, and each gets them all (ncclAllGather).
     *
     * @param send this rank's elements
     * @param receive as many times longer as there are ranks; send may be this rank's part of it
     * @param type of the elements
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices do not fit
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
     * Reduces the elements of all ranks, and each gets its part of the result (ncclReduceScatter).
     *
     * @param send as many times longer as there are ranks
     * @param receive for this rank's part; it may be that part of send
     * @param type of the elements
     * @param reduction how
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices do not fit
     * @throws UnsupportedOperationException if the library is too old for type or reduction
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
     * Each rank gives each a part of its elements (ncclAlltoAll).
     *
     * @param send a part for each rank, side by side
     * @param receive as long and apart: a part of each rank
     * @param type of the elements
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices do not fit, or are no whole number of elements for each rank
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
     * Puts the elements of all ranks side by side on one (ncclGather).
     *
     * @param send this rank's elements
     * @param receive as many times longer as there are ranks; send may be the root's part; null on the others
     * @param type of the elements
     * @param root the rank that gets them
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices do not fit
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
     * Gives each rank a part of the elements of one (ncclScatter).
     *
     * @param send as many times longer as there are ranks; null on those that are not the root
     * @param receive for this rank's part; on the root it may be that part of send
     * @param type of the elements
     * @param root the rank that has them
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices do not fit
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
     * Sends to one rank, which must receive as many elements of the same type (ncclSend). The stream waits for it:
     * sends and receives that need each other go into one {@link NcclGroup}.
     *
     * @param from the elements
     * @param type of the elements
     * @param peer to which rank
     * @param stream of the communicator's context
     * @throws UnsupportedOperationException before NCCL 2.7.3
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void send(DeviceSlice from, NcclDataType type, int peer, CudaStream stream) {
        peer(NcclFunction.SEND, "from", from, type, peer, stream);
    }

    /**
     * Receives from one rank, which must send as many elements of the same type (ncclRecv).
     *
     * @param to where the elements go
     * @param type of the elements
     * @param peer from which rank
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

    /** Whether this rank is the root, which needs the slice; on the others it is not looked at. */
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

    /** A call with two places of memory, either of which may be none. */
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
     * A sum of elements multiplied before (ncclRedOpCreatePreMulSum).
     *
     * @param type of the elements
     * @param factor of this rank; rounded to the type
     * @return for this communicator, to be closed
     * @throws UnsupportedOperationException before NCCL 2.11.4
     * @throws NcclException if NCCL refuses
     */
    public NcclScaledSum createScaledSum(NcclDataType type, double factor) {
        try (Arena arena = Arena.ofConfined()) {
            return scaledSum(type, Scalars.store(arena, type, factor).address(), NcclHeaders.ncclScalarHostImmediate());
        }
    }

    /**
     * A sum of elements multiplied before, by a factor in device memory that is read when the work is done
     * (ncclRedOpCreatePreMulSum).
     *
     * @param type of the elements
     * @param factor one element, which must stay until work with it is done
     * @return for this communicator, to be closed
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
     * Registers memory with NCCL that will be sent and received often (ncclCommRegister).
     *
     * @param slice of the communicator's device, of {@link Nccl#allocate} at best
     * @return to be closed, at the latest with memory or communicator
     * @throws UnsupportedOperationException before NCCL 2.19.1
     * @throws NcclException if NCCL refuses
     */
    public NcclRegistration register(DeviceSlice slice) {
        connection.library.require(NcclFunction.COMM_REGISTER);
        Checks.elements(this, "memory", slice, NcclDataType.UINT8);
        Held held = Held.enter(slice.memory());
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
     * Registers a part of each rank's memory together, so that others can write there (ncclCommWindowRegister). All
     * ranks call it; one thread for several ranks does so in a group.
     *
     * @param slice of {@link Nccl#allocate}, its address a multiple of 4096
     * @param symmetric whether all ranks give the same offset in memory of the same size, which quicker ways need
     *     ({@code NCCL_WIN_COLL_SYMMETRIC})
     * @return this rank's, to be closed
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
     * @param peer whose part of the window
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
     * @param peer which
     * @param stream of the communicator's context
     * @throws UnsupportedOperationException before NCCL 2.29.2
     * @throws NcclException if NCCL refuses
     */
    public void signal(int peer, CudaStream stream) {
        OneSided.signal(this, peer, stream);
    }

    /**
     * Has a stream wait for signals of another rank (ncclWaitSignal); what was put before them is there then.
     *
     * @param peer whose
     * @param signals how many, 1 or more
     * @param stream of the communicator's context
     * @throws UnsupportedOperationException before NCCL 2.29.2
     * @throws NcclException if NCCL refuses
     */
    public void waitSignal(int peer, int signals, CudaStream stream) {
        OneSided.waitSignal(this, peer, signals, stream);
    }

    /** A call that is over when it returns, and not part of a group. */
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

    /** Forgets a part of memory, and so does the memory. */
    void forget(AutoCloseable part, DeviceMemory memory) {
        memory.removeDependent(part);
        forget(part);
    }

    /**
     * Gives a part back to NCCL, unless the communicator is gone, and the part with it. Also when it is not known how
     * the last call ends: nobody asks a second time.
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
                // It was ended meanwhile.
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

    /** What is open, the youngest first. */
    List<AutoCloseable> parts() {
        synchronized (parts) {
            return new ArrayList<>(parts).reversed();
        }
    }

    /** {@return rank and device} */
    @Override
    public String toString() {
        return "NCCL communicator%s on %s"
                .formatted(rank < 0 ? "" : ", rank %d of %d,".formatted(rank, ranks), context.device());
    }
}
