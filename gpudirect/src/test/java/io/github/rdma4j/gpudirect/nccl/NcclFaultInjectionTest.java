// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.gpudirect.FailurePairs;
import io.github.rdma4j.gpudirect.StandInLibrary;
import io.github.rdma4j.gpudirect.internal.Undo;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each function of NCCL that is bound fails in each public operation that calls it. Which an operation calls is not
 * written down here: it is counted, of all that {@link NcclFunction} has. Then the exception must name the call, NCCL's
 * words and a remedy; nothing that the operation made may be left; and a second try must succeed.
 */
@ExtendWith({StandInDriver.class, StandInNccl.class})
class NcclFaultInjectionTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int RANKS = 2;
    private static final int SIZE = 8192;
    private static final int MOST_TIMES = 3;
    private static final int NCCL_2_10 = 21003;

    /** A resource whose release NCCL refuses stays with NCCL. This test counts it as released. */
    private static final Map<NcclFunction, String> GIVING_BACK = Map.of(
            NcclFunction.COMM_DESTROY, "communicators",
            NcclFunction.COMM_ABORT, "communicators",
            NcclFunction.COMM_DEREGISTER, "registrations",
            NcclFunction.COMM_WINDOW_DEREGISTER, "windows",
            NcclFunction.OPERATOR_DESTROY, "operators",
            NcclFunction.MEMORY_FREE, "allocations");

    /** They return text, and cannot fail. */
    private static final Set<NcclFunction> WITHOUT_RESULT =
            EnumSet.of(NcclFunction.GET_ERROR_STRING, NcclFunction.GET_LAST_ERROR);

    private static final Map<NcclFunction, Set<String>> FAILED = new EnumMap<>(NcclFunction.class);

    /** Two ranks, with what an operation needs. */
    private static final class World implements AutoCloseable {
        final NcclMode mode;
        final List<CudaContext> contexts = new ArrayList<>();
        final List<CudaStream> streams = new ArrayList<>();
        final List<DeviceMemory> send = new ArrayList<>();
        final List<DeviceMemory> receive = new ArrayList<>();
        final List<NcclCommunicator> ranks;
        final NcclCommunicator first;

        World(NcclMode mode) {
            this.mode = mode;
            for (int i = 0; i < RANKS; i++) {
                CudaContext context = Cuda.device(i).retainPrimaryContext();
                contexts.add(context);
                streams.add(context.createStream());
                // Windows want aligned memory, which an old library has not.
                send.add(Nccl.version().code() > NCCL_2_10 ? Nccl.allocate(context, SIZE) : context.allocate(SIZE));
                receive.add(context.allocate(SIZE));
            }
            ranks = ready(NcclCommunicator.initAll(contexts, this::settings));
            first = ranks.getFirst();
        }

        void settings(NcclConfig config) {
            config.mode(mode).timeout(LIMIT);
        }

        List<NcclCommunicator> ready(List<NcclCommunicator> communicators) {
            communicators.forEach(each -> each.await(LIMIT));
            return communicators;
        }

        interface OfRank {
            void call(NcclCommunicator communicator, int rank, CudaStream stream);
        }

        /** A call of each rank, until all are done. */
        void all(OfRank call) {
            NcclGroup.run(() -> ranks.forEach(each -> call.call(each, each.rank(), streams.get(each.rank()))));
            ready(ranks);
            ranks.forEach(each ->
                    assertThat(each.await(streams.get(each.rank()), LIMIT)).isTrue());
        }

        NcclCommunicator alone() {
            NcclCommunicator made =
                    NcclCommunicator.init(contexts.getFirst(), 1, 0, NcclUniqueId.create(), this::settings);
            try {
                made.await(LIMIT);
                return made;
            } catch (RuntimeException e) {
                Undo.after(e, made);
                throw e;
            }
        }

        @Override
        public void close() {
            ranks.forEach(NcclCommunicator::close);
            contexts.forEach(CudaContext::close);
        }
    }

    /** An operation, which returns the objects that it has created. */
    private record Case(String name, Function<World, List<? extends AutoCloseable>> operation) {}

    private static Case makes(String name, Function<World, ? extends AutoCloseable> operation) {
        return new Case(name, world -> List.of(operation.apply(world)));
    }

    private static Case does(String name, Consumer<World> operation) {
        return new Case(name, world -> {
            operation.accept(world);
            return List.of();
        });
    }

    /** Objects that several ranks create in a group. If one cannot be created, none is left. */
    private static <T extends AutoCloseable> List<T> together(World world, Function<NcclCommunicator, T> making) {
        List<T> made = new ArrayList<>();
        try {
            NcclGroup.run(() -> world.ranks.forEach(each -> made.add(making.apply(each))));
            world.ready(world.ranks);
            return made;
        } catch (RuntimeException e) {
            Undo.after(e, made.toArray(AutoCloseable[]::new));
            throw e;
        }
    }

    private static void close(AutoCloseable made) {
        try {
            made.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** All of them, whatever becomes of the first. */
    private static void closeAll(List<? extends AutoCloseable> made) {
        RuntimeException first = null;
        for (AutoCloseable each : made) {
            try {
                close(each);
            } catch (RuntimeException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private static final NcclDataType TYPE = NcclDataType.FLOAT32;

    private static Stream<Case> cases() {
        return Stream.of(
                does("unique id", world -> NcclUniqueId.create()),
                makes("one rank", World::alone),
                new Case("all ranks", world -> {
                    List<NcclCommunicator> made = NcclCommunicator.initAll(world.contexts, world::settings);
                    try {
                        return world.ready(made);
                    } catch (RuntimeException e) {
                        Undo.after(e, made.toArray(AutoCloseable[]::new));
                        throw e;
                    }
                }),
                new Case("split", world -> together(world, each -> each.split(0, each.rank()))),
                makes("a split that one leaves", world -> {
                    List<NcclCommunicator> made = new ArrayList<>();
                    try {
                        NcclGroup.run(() -> {
                            made.add(world.first.split(0, 0));
                            world.ranks.getLast().leaveSplit();
                        });
                        world.ready(world.ranks);
                        return made.getFirst();
                    } catch (RuntimeException e) {
                        Undo.after(e, made.toArray(AutoCloseable[]::new));
                        throw e;
                    }
                }),
                does("what a part is", world -> {
                    try (NcclCommunicator part = world.first.shrink(List.of(1), false)) {
                        part.await(LIMIT);
                        assertThat(part.ranks()).isOne();
                        assertThat(part.rank()).isZero();
                        assertThat(part.deviceOrdinal()).isZero();
                    }
                }),
                does("close", world -> world.alone().close()),
                does("abort", world -> world.alone().abort()),
                does("revoke", world -> {
                    try (NcclCommunicator alone = world.alone()) {
                        alone.revoke();
                    }
                }),
                makes("memory", world -> Nccl.allocate(world.contexts.getFirst(), SIZE)),
                does(
                        "memory that is given back",
                        world -> Nccl.allocate(world.contexts.getFirst(), SIZE).close()),
                does(
                        "registration",
                        world -> world.first
                                .register(world.send.getFirst().slice())
                                .close()),
                does("scaled sum", world -> world.first.createScaledSum(TYPE, 2).close()),
                new Case(
                        "windows",
                        world -> together(
                                world,
                                each -> each.registerWindow(
                                        world.send.get(each.rank()).slice(), true))),
                does("windows that are given back", world -> {
                    List<NcclWindow> windows = together(
                            world,
                            each -> each.registerWindow(
                                    world.send.get(each.rank()).slice(), true));
                    closeAll(windows);
                }),
                does(
                        "all-reduce",
                        world -> world.all((each, rank, stream) -> each.allReduce(
                                world.send.get(rank).slice(),
                                world.receive.get(rank).slice(),
                                TYPE,
                                NcclOperation.SUM,
                                stream))),
                does(
                        "reduce",
                        world -> world.all((each, rank, stream) -> each.reduce(
                                world.send.get(rank).slice(),
                                world.receive.get(rank).slice(),
                                TYPE,
                                NcclOperation.MAX,
                                0,
                                stream))),
                does(
                        "broadcast",
                        world -> world.all((each, rank, stream) -> each.broadcast(
                                world.send.get(rank).slice(),
                                world.receive.get(rank).slice(),
                                TYPE,
                                0,
                                stream))),
                does(
                        "all-gather",
                        world -> world.all((each, rank, stream) -> each.allGather(
                                world.send.get(rank).slice(0, SIZE / RANKS),
                                world.receive.get(rank).slice(),
                                TYPE,
                                stream))),
                does(
                        "reduce-scatter",
                        world -> world.all((each, rank, stream) -> each.reduceScatter(
                                world.send.get(rank).slice(),
                                world.receive.get(rank).slice(0, SIZE / RANKS),
                                TYPE,
                                NcclOperation.SUM,
                                stream))),
                does(
                        "all-to-all",
                        world -> world.all((each, rank, stream) -> each.allToAll(
                                world.send.get(rank).slice(),
                                world.receive.get(rank).slice(),
                                TYPE,
                                stream))),
                does(
                        "gather",
                        world -> world.all((each, rank, stream) -> each.gather(
                                world.send.get(rank).slice(0, SIZE / RANKS),
                                world.receive.get(rank).slice(),
                                TYPE,
                                0,
                                stream))),
                does(
                        "scatter",
                        world -> world.all((each, rank, stream) -> each.scatter(
                                world.send.get(rank).slice(),
                                world.receive.get(rank).slice(0, SIZE / RANKS),
                                TYPE,
                                0,
                                stream))),
                does(
                        "send and receive",
                        world -> world.all((each, rank, stream) -> {
                            each.send(world.send.get(rank).slice(), TYPE, 1 - rank, stream);
                            each.receive(world.receive.get(rank).slice(), TYPE, 1 - rank, stream);
                        })),
                does("estimate", world -> {
                    // The only mode of which NCCL estimates.
                    try (NcclCommunicator alone = NcclCommunicator.init(
                            world.contexts.getFirst(),
                            1,
                            0,
                            NcclUniqueId.create(),
                            config -> config.mode(NcclMode.BLOCKING))) {
                        NcclGroup.estimate(
                                () -> alone.send(world.send.getFirst().slice(), TYPE, 0, world.streams.getFirst()));
                    }
                }),
                does("suspend", world -> {
                    try (NcclCommunicator alone = world.alone()) {
                        alone.suspend();
                        alone.resume();
                        assertThat(alone.deviceMemory()).isPositive();
                    }
                }),
                does(
                        "parameter",
                        world -> assertThat(Nccl.parameter("NCCL_IB_DISABLE")).isPresent()),
                does(
                        "asynchronous error",
                        world -> assertThat(world.first.asyncError()).isEmpty()),
                does("ready", world -> assertThat(world.first.isReady()).isTrue()));
    }

    private static Stream<Case> oneSided() {
        return Stream.of(
                does("signal", world -> {
                    try (NcclCommunicator alone = world.alone()) {
                        alone.signal(0, world.streams.getFirst());
                        alone.waitSignal(0, 1, world.streams.getFirst());
                        alone.await(LIMIT);
                        assertThat(alone.await(world.streams.getFirst(), LIMIT)).isTrue();
                    }
                }),
                does("put", world -> {
                    try (NcclCommunicator alone = world.alone();
                            NcclWindow window =
                                    alone.registerWindow(world.send.getFirst().slice(), true)) {
                        alone.await(LIMIT);
                        alone.put(world.receive.getFirst().slice(), TYPE, 0, window, 0, world.streams.getFirst());
                        alone.await(LIMIT);
                        assertThat(alone.await(world.streams.getFirst(), LIMIT)).isTrue();
                    }
                }));
    }

    /** Operations that only an old library has. */
    private static Stream<Case> oldCases() {
        return cases().filter(each -> Set.of("one rank", "all ranks").contains(each.name()));
    }

    @Test
    void eachFunctionFailsInEachOperationThatCallsIt() {
        FAILED.clear();
        all(NcclMode.BOUNDED, 1);
        Supplier<StandInLibrary> old = () -> StandInNccl.older(
                NCCL_2_10,
                Arrays.stream(NcclFunction.values())
                        .filter(function -> function.since() > NCCL_2_10)
                        .map(NcclFunction::symbol)
                        .toArray(String[]::new));
        oldCases().forEach(each -> failEach(each, NcclMode.BLOCKING, old, MOST_TIMES));
        theVersion();
        System.out.printf(
                "fault injection: %d functions: %s%n",
                FAILED.size(),
                FAILED.entrySet().stream()
                        .map(each -> each.getKey().symbol() + " in "
                                + each.getValue().size())
                        .collect(Collectors.joining(", ")));
        assertThat(FAILED.keySet())
                .containsExactlyInAnyOrderElementsOf(EnumSet.complementOf(EnumSet.copyOf(WITHOUT_RESULT)));
    }

    @ParameterizedTest
    @EnumSource(NcclMode.class)
    void atLaterCallsAndInEachMode(NcclMode mode) {
        all(mode, MOST_TIMES);
    }

    /** The driver's functions that this library itself calls around NCCL's functions, if they can fail there. */
    private static final List<String> DRIVERS =
            List.of("cuCtxSetCurrent", "cuEventCreate", "cuEventRecord", "cuEventQuery", "cuEventDestroy");

    /** For as long as they may, where that rank's call has failed. */
    private static final Set<String> WAITING_FOR_ANOTHER_RANK = Set.of("windows", "windows that are given back");

    @Test
    void firstOfTwoFailuresIsReported() {
        FailurePairs.Seam nccl = FailurePairs.of(
                StandInNccl.whole(),
                NcclStatus.SYSTEM_ERROR.number(),
                "ncclSystemError",
                NcclStatus.INTERNAL_ERROR.number());
        FailurePairs.Seam driver = FailurePairs.driver();
        FailurePairs pairs = new FailurePairs(nccl, driver);
        Stream.concat(cases(), oneSided())
                .filter(test -> !WAITING_FOR_ANOTHER_RANK.contains(test.name()))
                .forEach(test -> {
                    FailurePairs.Play play = (arm, disarm) -> play(test, arm, disarm);
                    calls(test, NcclMode.BOUNDED, StandInNccl::whole).forEach((function, times) -> {
                        for (int n = 1; n <= Math.min(times, 2) && !WITHOUT_RESULT.contains(function); n++) {
                            pairs.play(test.name(), nccl, function.symbol(), n, play);
                        }
                    });
                    for (String function : DRIVERS) {
                        int n = 1;
                        while (n <= MOST_TIMES && pairs.play(test.name(), driver, function, n, play)) {
                            n++;
                        }
                    }
                });
        System.out.printf("fault injection: NCCL: %d pairs of failures%n", pairs.pairs());
        assertThat(pairs.problems()).isEmpty();
        assertThat(pairs.pairs()).isGreaterThan(100);
    }

    private static Throwable play(Case test, Runnable arm, Runnable disarm) {
        begin(StandInNccl::whole);
        World world = new World(NcclMode.BOUNDED);
        arm.run();
        Throwable failure = null;
        try {
            closeAll(test.operation().apply(world));
        } catch (RuntimeException e) {
            failure = e;
        }
        disarm.run();
        // One rank may wait for another, whose call has failed.
        world.ranks.forEach(NcclCommunicator::abort);
        world.contexts.forEach(CudaContext::close);
        return failure;
    }

    private static void all(NcclMode mode, int times) {
        Stream.concat(cases(), oneSided()).forEach(each -> failEach(each, mode, StandInNccl::whole, times));
    }

    /** It is asked once, when a library is opened: one that no other test opens. */
    private static void theVersion() {
        StandInLibrary library = StandInNccl.older(NCCL_2_10, "ncclCommSuspend", "ncclCommResume");
        library.failAt("ncclGetVersion", 1, NcclStatus.SYSTEM_ERROR.number());
        assertThat(Nccl.unavailability())
                .hasValueSatisfying(e -> assertThat(e)
                        .hasMessageContaining("does not report its version: ncclGetVersion() returned 2")
                        .hasMessageMatching("(?s).*\\. \\p{Lu}.*"));
        assertThat(Nccl.version()).hasToString("2.10.3");
        FAILED.put(NcclFunction.GET_VERSION, Set.of("opening"));
    }

    private static void failEach(Case test, NcclMode mode, Supplier<StandInLibrary> library, int most) {
        Map<NcclFunction, Long> calls = calls(test, mode, library);
        assertThat(calls).as(test.name()).isNotEmpty();
        calls.forEach((function, times) -> {
            for (int n = 1; n <= Math.min(times, most); n++) {
                if (!WITHOUT_RESULT.contains(function) && fail(test, mode, library, function, n)) {
                    FAILED.computeIfAbsent(function, _ -> new TreeSet<>()).add(test.name());
                }
            }
        });
    }

    /** How often an operation calls each function when all is well. */
    private static Map<NcclFunction, Long> calls(Case test, NcclMode mode, Supplier<StandInLibrary> library) {
        StandInLibrary standIn = begin(library);
        Map<NcclFunction, Long> calls = new EnumMap<>(NcclFunction.class);
        try (World world = new World(mode)) {
            Map<NcclFunction, Long> before = counts(standIn);
            List<? extends AutoCloseable> made = test.operation().apply(world);
            counts(standIn).forEach((function, count) -> {
                if (count > before.get(function)) {
                    calls.put(function, count - before.get(function));
                }
            });
            closeAll(made);
        }
        return calls;
    }

    private static Map<NcclFunction, Long> counts(StandInLibrary standIn) {
        return Arrays.stream(NcclFunction.values())
                .collect(Collectors.toMap(each -> each, each -> standIn.calls(each.symbol())));
    }

    private static StandInLibrary begin(Supplier<StandInLibrary> library) {
        StandInDriver.reset();
        StandInDriver.devices(RANKS);
        StandInLibrary standIn = library.get();
        long version = Nccl.version().code();
        standIn.reset();
        standIn.set("cuda", StandInDriver.library());
        standIn.set("version", version);
        return standIn;
    }

    /** Whether there was an n-th call. */
    private static boolean fail(
            Case test, NcclMode mode, Supplier<StandInLibrary> library, NcclFunction function, int n) {
        String words = "%s, %s, call %d of %s".formatted(test.name(), mode, n, function.symbol());
        StandInLibrary standIn = begin(library);
        boolean fired;
        try (World world = new World(mode)) {
            Map<String, Long> before = StandInNccl.open(standIn);
            Map<String, Long> beforeDriver = StandInDriver.open();
            long called = standIn.calls(function.symbol());
            standIn.failAt(function.symbol(), n, NcclStatus.SYSTEM_ERROR.number());
            NcclException failure = null;
            try {
                closeAll(test.operation().apply(world));
            } catch (NcclException e) {
                failure = e;
            }
            fired = standIn.calls(function.symbol()) - called >= n;
            standIn.set("no-failures", 1);
            // A communicator that is given up during its creation is ended when the creation has finished.
            world.ranks.stream().filter(NcclFaultInjectionTest::isHealthy).forEach(each -> each.await(LIMIT));
            if (failure == null) {
                assertThat(fired).as("%s failed without an exception", words).isFalse();
            } else {
                assertThat(failure.call()).as(words).contains(function.symbol().replace("RankConfig", "Rank"));
                assertThat(failure.status()).as(words).isEqualTo(NcclStatus.SYSTEM_ERROR);
                assertThat(failure.remedy()).as(words).isNotBlank();
                assertThat(failure)
                        .as(words)
                        .hasMessageContaining("ncclSystemError")
                        .hasMessageMatching("(?s).*\\. \\p{Lu}.*");
            }
            String mayStay = GIVING_BACK.get(function);
            Map<String, Long> most = mayStay == null ? Map.of() : Map.of(mayStay, 1L);
            assertThat(more(before, StandInNccl.open(standIn)))
                    .as("left by " + words)
                    .isIn(Map.of(), most);
            // The stand-in takes its memory from the driver's.
            assertThat(more(beforeDriver, StandInDriver.open()))
                    .as("left by " + words)
                    .isIn(Map.of(), function == NcclFunction.MEMORY_FREE ? most : Map.of());
            if (world.ranks.stream().allMatch(NcclFaultInjectionTest::isHealthy)) {
                again(test, world, words);
            } else {
                // Operations whose result cannot be queried are given up, together with their communicator.
                assertThat(function).as("communicators lost by " + words).isEqualTo(NcclFunction.COMM_GET_ASYNC_ERROR);
                try (World other = new World(mode)) {
                    again(test, other, words);
                }
            }
        }
        assertThat(StandInDriver.open()).as("left at the end of " + words).isEmpty();
        return fired;
    }

    private static void again(Case test, World world, String words) {
        assertThatCode(() -> closeAll(test.operation().apply(world)))
                .as("the second try of " + words)
                .doesNotThrowAnyException();
    }

    private static Map<String, Long> more(Map<String, Long> before, Map<String, Long> after) {
        Map<String, Long> more = new TreeMap<>(after);
        before.forEach((what, count) -> more.merge(what, -count, Long::sum));
        more.values().removeIf(count -> count == 0);
        return more;
    }

    /** Whether all that was under way has ended well. */
    private static boolean isHealthy(NcclCommunicator communicator) {
        try {
            communicator.await(LIMIT);
            return communicator.asyncError().isEmpty();
        } catch (NcclTimeoutException e) {
            throw e;
        } catch (NcclException _) {
            return false;
        }
    }
}
