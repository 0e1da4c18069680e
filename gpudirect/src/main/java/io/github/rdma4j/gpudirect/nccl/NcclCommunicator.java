// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.CudaWaitInterruptedException;
import io.github.rdma4j.gpudirect.nccl.bindings.NcclHeaders;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * One rank of a group of GPUs that compute together ({@code ncclComm_t}). Each rank has its own communicator and its
 * own GPU, in this process or another. Closing its context also closes it.
 *
 * <p>Work is put into streams. NCCL reports its failures later: in {@link #asyncError()},
 * {@link #await(CudaStream, Duration)} and each later call. A communicator that has failed can only be aborted.
 *
 * <p>Thread safety: all methods may be called from any thread, {@link #abort()} and {@link #asyncError()} also while
 * another is held inside a call. An interrupt ends the two methods {@code await}; what begins or ends something waits
 * on, for {@link NcclConfig#timeout} or {@link NcclConfig#closeTimeout} at most, and the interrupt status stays.
 *
 * @since 0.1.0
 */
public final class NcclCommunicator extends NcclParts implements AutoCloseable {
    private final Connection connection;
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

    @Override
    Connection connection() {
        return connection;
    }

    @Override
    NcclCommunicator self() {
        return this;
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

    @Override
    public int ranks() {
        if (ranks < 0) {
            ranks = ask(NcclFunction.COMM_COUNT);
        }
        return ranks;
    }

    @Override
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

    /** {@return rank and device} */
    @Override
    public String toString() {
        return "NCCL communicator%s on %s"
                .formatted(rank < 0 ? "" : ", rank %d of %d,".formatted(rank, ranks), context.device());
    }
}
