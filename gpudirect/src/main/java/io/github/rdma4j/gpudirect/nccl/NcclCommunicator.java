// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.gpudirect.nccl.bindings.NcclHeaders;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongToIntFunction;

/**
 * One rank of a number of GPUs that compute together ({@code ncclComm_t}). Each rank is a communicator of its own, in
 * this process or another, on a GPU of its own. Closing it gives it back, and so does closing its context.
 *
 * <p>Work is put into streams, and what goes wrong there NCCL tells later: {@link #asyncError()}, {@link #await(
 * CudaStream, Duration)}, and each later call. After that a communicator can only be aborted.
 *
 * <p>Thread safety: all methods may be called from any thread, {@link #abort()} and {@link #asyncError()} also while
 * another is held inside a call.
 *
 * @since 0.1.0
 */
public final class NcclCommunicator extends NcclTransfers implements AutoCloseable {
    private final Connection connection;
    private final NcclConfig config;
    private final CudaContext context;
    private final Set<AutoCloseable> parts = new LinkedHashSet<>();
    private final Set<CudaStream> streams = Collections.newSetFromMap(new WeakHashMap<>());
    /** −1 until NCCL was asked, for one that was split off. */
    private volatile int ranks;

    private volatile int rank;
    private volatile boolean revoked;

    private NcclCommunicator(Library library, CudaContext context, NcclConfig config, int ranks, int rank) {
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
     * @param settings told what to set
     * @return when all ranks have come; in a group, or with {@link NcclMode#NON_BLOCKING}, to be awaited
     * @throws NcclException if NCCL refuses: two ranks on one GPU, for instance
     * @throws NcclTimeoutException if the others have not come in time
     * @throws UnsupportedOperationException if the library is too old for a setting
     * @throws NcclUnavailableException if NCCL cannot be used
     */
    public static NcclCommunicator init(
            CudaContext context, int ranks, int rank, NcclUniqueId id, Consumer<NcclConfig> settings) {
        Checks.primary(context);
        if (ranks < 1) {
            throw new IllegalArgumentException("%d ranks: 1 or more".formatted(ranks));
        }
        Checks.rank("rank", rank, ranks);
        NcclConfig config = new NcclConfig();
        settings.accept(config);
        Library library = Library.current();
        NcclCommunicator made = new NcclCommunicator(library, context, config, ranks, rank);
        Connection connection = made.connection;
        MemorySegment struct = config.struct(library, connection.arena());
        MemorySegment name = id.struct(connection.arena());
        made.start(
                connection,
                () -> "ncclCommInitRank(ranks=%d, rank=%d, %s)".formatted(ranks, rank, context.device()),
                struct == null
                        ? () -> library.calls().call(NcclFunction.COMM_INIT_RANK, connection.slot(), ranks, name, rank)
                        : () -> library.calls()
                                .call(
                                        NcclFunction.COMM_INIT_RANK_CONFIG,
                                        connection.slot(),
                                        ranks,
                                        name,
                                        rank,
                                        struct.address()));
        return made;
    }

    /**
     * All ranks in this process, one on each GPU (a group of ncclCommInitRankConfig; before NCCL 2.14 ncclCommInitAll).
     *
     * @param contexts the primary ones of different GPUs; rank n is on the n-th
     * @param settings told what to set, for all
     * @return as many, in order, each to be closed
     * @throws NcclException if NCCL refuses
     * @throws NcclUnavailableException if NCCL cannot be used
     */
    public static List<NcclCommunicator> initAll(List<CudaContext> contexts, Consumer<NcclConfig> settings) {
        if (contexts.isEmpty()) {
            throw new IllegalArgumentException("no contexts: one for each rank");
        }
        contexts.forEach(Checks::primary);
        Library library = Library.current();
        if (!library.has(NcclFunction.COMM_INIT_RANK_CONFIG)) {
            return initAllAtOnce(library, contexts, settings);
        }
        NcclUniqueId id = NcclUniqueId.create();
        List<NcclCommunicator> all = new ArrayList<>();
        NcclGroup.run(() -> {
            for (CudaContext context : contexts) {
                all.add(init(context, contexts.size(), all.size(), id, settings));
            }
        });
        return all;
    }

    private static List<NcclCommunicator> initAllAtOnce(
            Library library, List<CudaContext> contexts, Consumer<NcclConfig> settings) {
        int count = contexts.size();
        List<NcclCommunicator> all = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handles = arena.allocate(ValueLayout.JAVA_LONG, count);
            MemorySegment devices = arena.allocate(ValueLayout.JAVA_INT, count);
            for (int i = 0; i < count; i++) {
                NcclConfig config = new NcclConfig();
                settings.accept(config);
                NcclCommunicator made = new NcclCommunicator(library, contexts.get(i), config, count, i);
                config.struct(library, made.connection.arena());
                devices.setAtIndex(
                        ValueLayout.JAVA_INT, i, contexts.get(i).device().ordinal());
                all.add(made);
            }
            library.check(
                    library.calls().call(NcclFunction.COMM_INIT_ALL, handles.address(), count, devices.address()),
                    "ncclCommInitAll(%d)".formatted(count),
                    0);
            for (int i = 0; i < count; i++) {
                NcclCommunicator made = all.get(i);
                made.connection.opened(handles.getAtIndex(ValueLayout.JAVA_LONG, i));
                made.context.addDependent(made);
            }
            return all;
        }
    }

    /** Makes the native object; what fails half-way is aborted. */
    private void start(Connection caller, Step.Call words, IntSupplier call) {
        context.addDependent(this);
        NcclGroup.submit(new Step(caller, words, call, List.of(), this::opened, this::drop));
    }

    private void opened() {
        connection.opened();
    }

    /** Its making has failed, or its group has. */
    private void drop() {
        connection.opened();
        context.removeDependent(this);
        try {
            connection.abort();
        } catch (NcclException e) {
            // What has failed first is told.
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

    /** A call that is over when it returns, and not part of a group. */
    private void inside(Step.Call words, LongToIntFunction call) {
        connection.requireOpen();
        connection.lock();
        try {
            connection.settle(words, connection.timeout);
            context.makeCurrentForCall();
            long handle = connection.handle();
            connection.library.check(call.applyAsInt(handle), words.words(), handle);
        } finally {
            connection.unlock();
        }
    }

    /** Gives a part back to NCCL, unless the communicator is gone, and the part with it. */
    void giveBack(String words, LongToIntFunction call) {
        if (!connection.isAborted() && connection.isOpen()) {
            inside(() -> words, call);
        }
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
     */
    public void await(Duration limit) {
        connection.requireOpen();
        connection.lock();
        try {
            connection.settle(() -> "the last call of " + this, limit);
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
     */
    public boolean await(CudaStream stream, Duration limit) {
        return Limits.await(
                () -> {
                    asyncError().ifPresent(failure -> {
                        throw failure;
                    });
                    return stream.isDone();
                },
                limit);
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
        if (color < 0) {
            throw new IllegalArgumentException("color %d: 0 or more".formatted(color));
        }
        return child(
                NcclFunction.COMM_SPLIT,
                "ncclCommSplit(color=%d, key=%d)".formatted(color, key),
                (made, struct) -> connection
                        .library
                        .calls()
                        .call(NcclFunction.COMM_SPLIT, connection.handle(), color, key, made.slot(), struct));
    }

    /**
     * Takes part in a split of the other ranks, and in none of what comes of it (ncclCommSplit with
     * {@code NCCL_SPLIT_NOCOLOR}).
     *
     * @throws UnsupportedOperationException before NCCL 2.18.1
     * @throws NcclException if NCCL refuses
     */
    public void leaveSplit() {
        connection.library.require(NcclFunction.COMM_SPLIT);
        long none = connection.arena().allocate(ValueLayout.JAVA_LONG).address();
        NcclGroup.submit(new Step(
                connection,
                () -> "ncclCommSplit(NCCL_SPLIT_NOCOLOR)",
                () -> connection
                        .library
                        .calls()
                        .call(
                                NcclFunction.COMM_SPLIT,
                                connection.handle(),
                                NcclHeaders.NCCL_SPLIT_NOCOLOR(),
                                0,
                                none,
                                0L)));
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
        MemorySegment list = connection
                .arena()
                .allocateFrom(
                        ValueLayout.JAVA_INT,
                        excluded.stream().mapToInt(Integer::intValue).toArray());
        revoked |= abort;
        int flags = abort ? NcclHeaders.NCCL_SHRINK_ABORT() : NcclHeaders.NCCL_SHRINK_DEFAULT();
        return child(
                NcclFunction.COMM_SHRINK,
                "ncclCommShrink(without %s)".formatted(excluded),
                (made, struct) -> connection
                        .library
                        .calls()
                        .call(
                                NcclFunction.COMM_SHRINK,
                                connection.handle(),
                                list.address(),
                                excluded.size(),
                                made.slot(),
                                struct,
                                flags));
    }

    /** Makes a communicator out of this one. */
    private interface Making {
        int call(Connection made, long config);
    }

    private NcclCommunicator child(NcclFunction function, String words, Making making) {
        connection.library.require(function);
        connection.requireOpen();
        NcclCommunicator made = new NcclCommunicator(connection.library, context, config, -1, -1);
        MemorySegment struct = config.struct(connection.library, made.connection.arena());
        made.start(connection, () -> words, () -> making.call(made.connection, struct.address()));
        if (!NcclGroup.isOpen() && connection.mode == NcclMode.BOUNDED) {
            boolean there = false;
            try {
                made.await(connection.timeout);
                there = true;
            } finally {
                if (!there) {
                    made.drop();
                }
            }
        }
        return made;
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
     * Tells NCCL of memory that will be sent and received often (ncclCommRegister).
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
        return connection.isOpen() && !connection.isAborted();
    }

    /**
     * Ends it at once, with all that is under way (ncclCommAbort); a second time does nothing. What the memory of
     * operations under way has in it then is undefined. A thread that is held inside a call leaves it with an
     * exception.
     *
     * @throws NcclException if NCCL refuses; it counts as ended
     */
    public void abort() {
        if (!connection.isAborted() && connection.isOpen()) {
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

    private List<AutoCloseable> parts() {
        synchronized (parts) {
            return new ArrayList<>(parts).reversed();
        }
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
