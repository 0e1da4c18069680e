// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaWaitInterruptedException;
import io.github.rdma4j.cuda.DeviceMemory;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the creation, splitting and end of communicators, and that no call waits for ever. */
class NcclCommunicatorTest extends NcclFixture {
    private static final Duration SHORT = Duration.ofMillis(200);
    /** For what is waited for to the end. */
    private static final Duration TINY = Duration.ofMillis(40);

    private static void allReduce(NcclCommunicator communicator, DeviceMemory memory, int rank, NcclFixture fixture) {
        communicator.allReduce(
                memory.slice(), memory.slice(), NcclDataType.FLOAT32, NcclOperation.SUM, fixture.streams.get(rank));
    }

    @ParameterizedTest
    @EnumSource(NcclMode.class)
    void ranksOfThreadsOfTheirOwn(NcclMode mode) throws Exception {
        NcclUniqueId id = NcclUniqueId.of(NcclUniqueId.create().bytes());
        // Virtual threads would hold their carriers inside a call that blocks, of which there may be too few.
        try (var threads = mode == NcclMode.BLOCKING
                ? Executors.newCachedThreadPool()
                : Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<float[]>> results = new ArrayList<>();
            for (int each = 0; each < RANKS; each++) {
                int rank = each;
                results.add(threads.submit(() -> {
                    try (NcclCommunicator communicator =
                            NcclCommunicator.init(contexts.get(rank), RANKS, rank, id, config -> config.mode(mode))) {
                        DeviceMemory memory = floats(rank, 1 << rank, rank);
                        allReduce(communicator, memory, rank, this);
                        communicator.await(LIMIT);
                        assertThat(communicator.await(streams.get(rank), LIMIT)).isTrue();
                        assertThat(communicator.ranks()).isEqualTo(RANKS);
                        assertThat(communicator.deviceOrdinal()).isEqualTo(rank);
                        return floats(memory);
                    }
                }));
            }
            for (Future<float[]> result : results) {
                assertThat(result.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).containsExactly(7, 3);
            }
        }
    }

    /** Words for messages take longer than the rest of a call. */
    @ParameterizedTest
    @EnumSource(NcclMode.class)
    void callIsPutIntoWordsOnlyIfItFails(NcclMode mode) {
        initAll(config -> config.mode(mode));
        communicators.forEach(each -> each.await(LIMIT));
        Step.Call words = () -> {
            throw new AssertionError("put into words");
        };
        Submission.run(new Step(communicators.getFirst().connection(), words, () -> 0));
        communicators.getFirst().inside(words, handle -> 0);
    }

    @Test
    void contextThatIsNotThePrimaryOne() {
        CudaContext own = Cuda.device(0).createContext();
        contexts.add(own);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NcclCommunicator.init(own, 1, 0, NcclUniqueId.create()))
                .withMessageContaining("retainPrimaryContext");
    }

    @Test
    void twoRanksOnOneGpu() {
        List<CudaContext> twice = List.of(contexts.getFirst(), contexts.getFirst());
        assertThatExceptionOfType(NcclException.class)
                .isThrownBy(() -> NcclCommunicator.initAll(twice, config -> {}))
                .satisfies(e -> assertThat(e.status()).isEqualTo(NcclStatus.INVALID_USAGE))
                .withMessageContaining("Duplicate GPU detected")
                .withMessageContaining("Give each rank a GPU of its own");
    }

    @Test
    void ranksThatDoNotComeAreWaitedForWithALimit() {
        assertThatExceptionOfType(NcclTimeoutException.class)
                .isThrownBy(() -> NcclCommunicator.init(
                        contexts.getFirst(), 2, 0, NcclUniqueId.create(), config -> config.timeout(SHORT)))
                .withMessageContaining("ncclCommInitRank(ranks=2, rank=0")
                .withMessageContaining("Not finished after 200 ms")
                .satisfies(e -> assertThat(e.remedy()).startsWith("not finished after 200 ms"));
        assertThat(StandInNccl.calls("ncclCommAbort")).isEqualTo(1);
    }

    @Test
    void splitAndShrink() {
        initAll(config -> {});
        List<NcclCommunicator> parts = new ArrayList<>();
        NcclGroup.run(() -> {
            parts.add(communicators.get(0).split(7, 1));
            parts.add(communicators.get(1).split(7, 0));
            communicators.get(2).leaveSplit();
        });
        communicators.forEach(each -> each.await(LIMIT));
        parts.forEach(each -> each.await(LIMIT));
        assertThat(parts).extracting(NcclCommunicator::rank).containsExactly(1, 0);
        assertThat(parts).extracting(NcclCommunicator::ranks).containsExactly(2, 2);
        List<NcclCommunicator> fewer = new ArrayList<>();
        NcclGroup.run(() -> {
            fewer.add(communicators.get(0).shrink(List.of(1), false));
            fewer.add(communicators.get(2).shrink(List.of(1), true));
        });
        fewer.forEach(each -> each.await(LIMIT));
        assertThat(fewer).extracting(NcclCommunicator::rank).containsExactly(0, 1);
        parts.forEach(NcclCommunicator::close);
        fewer.forEach(NcclCommunicator::close);
    }

    @Test
    void bodyThatThrowsHasGivenNcclNothing() {
        initAll(config -> {});
        DeviceMemory memory = floats(0, 1, 2);
        assertThatIllegalStateException()
                .isThrownBy(() -> NcclGroup.run(() -> {
                    allReduce(communicators.getFirst(), memory, 0, this);
                    throw new IllegalStateException("no");
                }))
                .withMessage("no");
        assertThat(StandInNccl.calls("ncclAllReduce")).isZero();
        all((communicator, rank, stream) ->
                allReduce(communicator, rank == 0 ? memory : floats(rank, 1, 1), rank, this));
        assertThat(floats(memory)).containsExactly(3, 4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ncclGroupStart", "ncclAllReduce", "ncclGroupEnd"})
    void refusedGroupIsReportedOnceAndEnds(String call) {
        initAll(config -> {});
        List<DeviceMemory> memory = List.of(floats(0, 1), floats(1, 2), floats(2, 3));
        StandInNccl.failAt(call, 1, 3);
        assertThatExceptionOfType(NcclException.class)
                .isThrownBy(() ->
                        all((communicator, rank, stream) -> allReduce(communicator, memory.get(rank), rank, this)))
                .withMessageContaining("ncclInternalError 3")
                .withMessageContaining(call + " was set to fail");
        all((communicator, rank, stream) -> allReduce(communicator, memory.get(rank), rank, this));
        assertThat(floats(memory.getFirst())).containsExactly(6);
    }

    @Test
    void waitAndNextCallReportFailedWork() {
        initAll(config -> {});
        NcclCommunicator first = communicators.getFirst();
        assertThat(first.asyncError()).isEmpty();
        StandInNccl.set("async", 6);
        assertThat(first.asyncError().orElseThrow().status()).isEqualTo(NcclStatus.REMOTE_ERROR);
        assertThatExceptionOfType(NcclException.class)
                .isThrownBy(() -> first.await(streams.getFirst(), LIMIT))
                .withMessageContaining("another rank has ended or aborted");
        assertThatExceptionOfType(NcclException.class).isThrownBy(() -> allReduce(first, floats(0, 1), 0, this));
        communicators.forEach(NcclCommunicator::close);
        assertThat(StandInNccl.calls("ncclCommAbort")).isEqualTo(RANKS);
        assertThat(StandInNccl.calls("ncclCommDestroy")).isZero();
        assertThatIllegalStateException()
                .isThrownBy(() -> allReduce(first, floats(0, 1), 0, this))
                .withMessage("the communicator was aborted");
    }

    @ParameterizedTest
    @EnumSource(
            value = NcclMode.class,
            names = {"BOUNDED", "BLOCKING"})
    void closeThatWouldWaitForOthersAborts(NcclMode mode) {
        initAll(config -> config.mode(mode).closeTimeout(SHORT));
        StandInNccl.set("finalize-all", 1);
        assertThatExceptionOfType(NcclTimeoutException.class)
                .isThrownBy(communicators.getFirst()::close)
                .withMessageContaining("ncclCommFinalize()");
        communicators.getFirst().close();
        assertThat(StandInNccl.calls("ncclCommAbort")).isEqualTo(1);
    }

    @Test
    void closeWithWorkThatNeverEndsAborts() {
        initAll(config -> config.closeTimeout(SHORT));
        DeviceMemory memory = floats(0, 1);
        allReduce(communicators.getFirst(), memory, 0, this);
        assertThat(communicators.getFirst().await(streams.getFirst(), SHORT)).isFalse();
        contexts.getFirst().setCloseTimeout(SHORT);
        assertThatExceptionOfType(CudaCloseTimeoutException.class).isThrownBy(memory::close);
        contexts.getFirst().setCloseTimeout(LIMIT);
        assertThatExceptionOfType(NcclTimeoutException.class)
                .isThrownBy(communicators.getFirst()::close)
                .withMessageContaining("which was aborted because");
        memory.close();
        assertThat(communicators.get(1).asyncError()).isPresent();
    }

    private static void interrupted(Runnable wait) {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(CudaWaitInterruptedException.class).isThrownBy(wait::run);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void interruptEndsTheWaitsAndTheWorkGoesOn() {
        initAll(config -> config.mode(NcclMode.NON_BLOCKING));
        communicators.forEach(each -> each.await(LIMIT));
        NcclCommunicator first = communicators.getFirst();
        StandInNccl.set("polls", 400);
        List<DeviceMemory> memory = new ArrayList<>();
        for (int i = 0; i < RANKS; i++) {
            memory.add(floats(i, 1));
            allReduce(communicators.get(i), memory.get(i), i, this);
        }
        interrupted(() -> first.await(LIMIT));
        StandInNccl.set("polls", 0);
        communicators.forEach(each -> each.await(LIMIT));
        assertThat(first.await(streams.getFirst(), LIMIT)).isTrue();
        assertThat(floats(memory.getFirst())).containsExactly(RANKS);
        allReduce(first, memory.getFirst(), 0, this);
        first.await(LIMIT);
        interrupted(() -> first.await(streams.getFirst(), LIMIT));
        for (int i = 1; i < RANKS; i++) {
            allReduce(communicators.get(i), memory.get(i), i, this);
            communicators.get(i).await(LIMIT);
        }
        assertThat(first.await(streams.getFirst(), LIMIT)).isTrue();
    }

    @Test
    void closeEndsTheWaitForAStream() throws Exception {
        initAll(config -> config.closeTimeout(SHORT));
        DeviceMemory memory = floats(0, 1);
        NcclCommunicator first = communicators.getFirst();
        allReduce(first, memory, 0, this);
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread.startVirtualThread(() -> {
            try {
                first.await(streams.getFirst(), LIMIT);
                failure.complete(null);
            } catch (RuntimeException e) {
                failure.complete(e);
            }
        });
        assertThatExceptionOfType(NcclTimeoutException.class).isThrownBy(first::close);
        assertThat(failure.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the communicator was aborted");
        memory.close();
    }

    @Test
    void abortFreesAThreadThatWaitsForOtherRanks() throws Exception {
        initAll(config -> {});
        StandInNccl.set("polls", 1_000_000_000);
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        DeviceMemory memory = floats(0, 1);
        Thread waiting = Thread.startVirtualThread(() -> {
            try {
                allReduce(communicators.getFirst(), memory, 0, this);
                failure.complete(null);
            } catch (RuntimeException e) {
                failure.complete(e);
            }
        });
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> failure.get(SHORT.toMillis(), TimeUnit.MILLISECONDS));
        communicators.getFirst().abort();
        assertThat(failure.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the communicator was aborted");
        waiting.join();
        memory.close();
        StandInNccl.set("polls", 0);
    }

    /** The limits also apply to the wait for another thread's call. */
    @Test
    void closeAbortsUnderACallOfAnotherThread() throws Exception {
        initAll(config -> config.timeout(LIMIT).closeTimeout(TINY));
        NcclCommunicator first = communicators.getFirst();
        StandInNccl.set("polls", 1_000_000_000);
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        DeviceMemory memory = floats(0, 1);
        Thread waiting = Thread.startVirtualThread(() -> {
            try {
                allReduce(first, memory, 0, this);
                failure.complete(null);
            } catch (RuntimeException e) {
                failure.complete(e);
            }
        });
        while (StandInNccl.calls("ncclAllReduce") == 0) {
            Thread.onSpinWait();
        }
        interrupted(() -> first.await(LIMIT));
        assertThatExceptionOfType(NcclTimeoutException.class)
                .isThrownBy(() -> first.await(Duration.ofMillis(20)))
                .withMessageContaining("Not finished after 20 ms");
        assertThatExceptionOfType(NcclTimeoutException.class)
                .isThrownBy(first::close)
                .withMessageContaining("which was aborted because");
        assertThat(failure.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the communicator was aborted");
        waiting.join();
        memory.close();
        StandInNccl.set("polls", 0);
    }

    /** NCCL would take what is allocated there next for registered. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void registeredMemoryStaysWhileACallOfAnotherThreadHoldsNccl(boolean window) throws Exception {
        initAll(config -> config.mode(NcclMode.BLOCKING).timeout(TINY));
        NcclCommunicator first = communicators.getFirst();
        List<DeviceMemory> memory = new ArrayList<>();
        contexts.forEach(each -> memory.add(Nccl.allocate(each, 4096)));
        if (window) {
            NcclGroup.run(() -> communicators.forEach(
                    each -> each.registerWindow(memory.get(each.rank()).slice(), true)));
        } else {
            first.register(memory.getFirst().slice());
        }
        String kind = window ? "windows" : "registrations";
        long registered = StandInNccl.open().get(kind);
        // Inside NCCL, until the other ranks come.
        CompletableFuture<Void> held = splitElsewhere(first);
        while (StandInNccl.calls("ncclCommSplit") == 0) {
            Thread.onSpinWait();
        }
        assertThatExceptionOfType(CudaCloseTimeoutException.class)
                .isThrownBy(memory.getFirst()::close)
                .withMessageContaining("abort()");
        assertThat(memory.getFirst().isOpen()).isTrue();
        assertThat(StandInNccl.open()).containsEntry(kind, registered);
        List<CompletableFuture<Void>> others = communicators.stream()
                .skip(1)
                .map(NcclCommunicatorTest::splitElsewhere)
                .toList();
        held.get(60, TimeUnit.SECONDS);
        for (CompletableFuture<Void> other : others) {
            other.get(60, TimeUnit.SECONDS);
        }
        memory.forEach(DeviceMemory::close);
        assertThat(StandInNccl.open()).doesNotContainKey(kind);
    }

    /** On a thread of its own: it waits for the other ranks. */
    private static CompletableFuture<Void> splitElsewhere(NcclCommunicator communicator) {
        return CompletableFuture.runAsync(() -> communicator.split(0, 0).close(), Thread.ofPlatform()::start);
    }

    /** NCCL writes a handle when all ranks have come. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void splitThatDoesNotComeToItsEndCanBeClosed(boolean aborted) {
        initAll(config -> config.mode(NcclMode.NON_BLOCKING).closeTimeout(TINY).timeout(TINY));
        communicators.forEach(each -> each.await(LIMIT));
        NcclCommunicator first = communicators.getFirst();
        NcclCommunicator child = first.split(0, 0);
        assertThat(child.isReady()).isFalse();
        assertThatExceptionOfType(NcclTimeoutException.class).isThrownBy(() -> child.await(TINY));
        if (aborted) {
            first.abort();
            assertThat(child.isReady()).isTrue();
            assertThat(child.asyncError())
                    .hasValueSatisfying(failure -> assertThat(failure.status()).isEqualTo(NcclStatus.INVALID_USAGE));
            child.close();
        } else {
            assertThatExceptionOfType(NcclTimeoutException.class).isThrownBy(child::close);
            // The other ranks do not come, and only this ends the call.
            first.abort();
        }
        assertThat(child.isOpen()).isFalse();
        assertThat(StandInNccl.calls("ncclCommFinalize")).isZero();
    }

    /** NCCL has no handle of it then, by which it could be ended. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void splitThatIsGivenUpIsEndedWhenItIsThere(boolean closed) {
        initAll(config -> config.mode(NcclMode.NON_BLOCKING).closeTimeout(TINY));
        communicators.forEach(each -> each.await(LIMIT));
        NcclCommunicator child = communicators.getFirst().split(0, 0);
        assertThat(child.isOpen()).isTrue();
        if (closed) {
            assertThatExceptionOfType(NcclTimeoutException.class).isThrownBy(child::close);
        } else {
            child.abort();
        }
        assertThat(child.isOpen()).isFalse();
        assertThatIllegalStateException().isThrownBy(() -> child.await(TINY));
        assertThat(StandInNccl.calls("ncclCommAbort")).isZero();
        List<NcclCommunicator> others =
                communicators.stream().skip(1).map(each -> each.split(0, 0)).toList();
        communicators.forEach(each -> each.await(LIMIT));
        assertThat(StandInNccl.calls("ncclCommAbort")).isOne();
        others.forEach(NcclCommunicator::abort);
    }

    /** Nobody has asked since: NCCL has written a handle that must be ended. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void splitThatIsThereOutlivesItsParent(boolean givenUp) {
        initAll(config -> config.mode(NcclMode.NON_BLOCKING).closeTimeout(TINY));
        communicators.forEach(each -> each.await(LIMIT));
        List<NcclCommunicator> children =
                communicators.stream().map(each -> each.split(0, 0)).toList();
        if (givenUp) {
            children.getFirst().abort();
        }
        // The stand-in goes on with all that is begun, whoever asks.
        communicators.stream().skip(1).forEach(each -> each.await(LIMIT));
        communicators.getFirst().abort();
        assertThat(children.getFirst().isOpen()).isEqualTo(!givenUp);
        if (!givenUp) {
            assertThat(children.getFirst().isReady()).isTrue();
            assertThat(children.getFirst().rank()).isZero();
        }
        children.forEach(NcclCommunicator::abort);
        communicators.forEach(NcclCommunicator::abort);
        assertThat(StandInNccl.open()).isEmpty();
    }

    @Test
    void splitIsThereWhenAllRanksHaveCome() {
        initAll(config -> config.mode(NcclMode.NON_BLOCKING));
        communicators.forEach(each -> each.await(LIMIT));
        StandInNccl.set("polls", 2);
        List<NcclCommunicator> children = new ArrayList<>();
        NcclGroup.run(() -> communicators.forEach(each -> children.add(each.split(0, -each.rank()))));
        for (int i = 0; i < RANKS; i++) {
            // By itself: nobody asks the one that it was made of.
            children.get(i).await(LIMIT);
            assertThat(children.get(i).asyncError()).isEmpty();
            assertThat(children.get(i).rank()).isEqualTo(RANKS - 1 - i);
            children.get(i).close();
        }
    }

    /** The message names the rank, which is unknown until NCCL is queried. */
    @Test
    void failedCallOfASplitCommunicatorIsNamed() {
        initAll(config -> {});
        List<NcclCommunicator> children = new ArrayList<>();
        NcclGroup.run(() -> communicators.forEach(each -> children.add(each.split(0, 0))));
        NcclCommunicator first = children.getFirst();
        assertThat(first.ranks()).isEqualTo(RANKS);
        DeviceMemory memory = floats(0, 1, 2);
        StandInNccl.set("async", NcclStatus.REMOTE_ERROR.number());
        assertThatExceptionOfType(NcclException.class)
                .isThrownBy(() -> allReduce(first, memory, 0, this))
                .withMessageContaining("ncclAllReduce(count=2, FLOAT32, SUM, rank=0) failed");
        children.forEach(NcclCommunicator::abort);
        communicators.forEach(NcclCommunicator::abort);
    }

    /** It is what the close would do in the end. */
    @Test
    void abortEndsTheCloseOfAnotherThread() throws Exception {
        initAll(config -> config.closeTimeout(LIMIT));
        NcclCommunicator first = communicators.getFirst();
        StandInNccl.set("finalize-all", 1);
        CompletableFuture<Void> closed = CompletableFuture.runAsync(first::close);
        while (StandInNccl.calls("ncclCommFinalize") == 0) {
            Thread.onSpinWait();
        }
        first.abort();
        closed.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(first.isOpen()).isFalse();
        assertThat(StandInNccl.calls("ncclCommAbort")).isEqualTo(1);
        assertThat(StandInNccl.calls("ncclCommDestroy")).isZero();
        StandInNccl.set("finalize-all", 0);
    }

    @Test
    void interruptedThreadAborts() {
        initAll(config -> config.mode(NcclMode.NON_BLOCKING));
        communicators.forEach(each -> each.await(LIMIT));
        StandInNccl.set("polls", 1_000_000_000);
        DeviceMemory memory = floats(0, 1);
        allReduce(communicators.getFirst(), memory, 0, this);
        Thread.currentThread().interrupt();
        communicators.getFirst().abort();
        assertThat(Thread.interrupted()).isTrue();
        StandInNccl.set("polls", 0);
        contexts.getFirst().setCloseTimeout(LIMIT);
        memory.close();
    }

    @Test
    void memoryOfACallThatNcclHasNotTakenStays() {
        initAll(config -> config.mode(NcclMode.NON_BLOCKING));
        communicators.forEach(each -> each.await(LIMIT));
        StandInNccl.set("polls", 3);
        List<DeviceMemory> memory = List.of(floats(0, 1), floats(1, 2), floats(2, 3));
        NcclGroup.run(() -> communicators.forEach(each -> allReduce(each, memory.get(each.rank()), each.rank(), this)));
        assertThat(communicators.getFirst().isReady()).isFalse();
        // Closing waits for the call to be taken, and then for the work.
        memory.forEach(DeviceMemory::close);
        communicators.forEach(each -> assertThat(each.isReady()).isTrue());
    }

    @Test
    void memoryOfNccl() {
        initAll(config -> {});
        NcclCommunicator first = communicators.getFirst();
        DeviceMemory memory = Nccl.allocate(contexts.getFirst(), 4096);
        NcclRegistration registered = first.register(memory.slice());
        assertThat(StandInNccl.open()).containsEntry("allocations", 1L).containsEntry("registrations", 1L);
        registered.close();
        registered.close();
        first.register(memory.slice(0, 1024));
        memory.close();
        assertThat(StandInNccl.open()).doesNotContainKeys("allocations", "registrations");
        StandInNccl.failAt("ncclMemAlloc", 1, 1);
        assertThatExceptionOfType(NcclException.class)
                .isThrownBy(() -> Nccl.allocate(contexts.getFirst(), 4096))
                .satisfies(e -> assertThat(e.status()).isEqualTo(NcclStatus.UNHANDLED_CUDA_ERROR));
    }

    @Test
    void windowsAreWrittenByOthers() {
        initAll(config -> {});
        List<DeviceMemory> memory = new ArrayList<>();
        List<NcclWindow> windows = new ArrayList<>();
        contexts.forEach(context -> memory.add(Nccl.allocate(context, 8192)));
        NcclGroup.run(() -> communicators.forEach(
                each -> windows.add(each.registerWindow(memory.get(each.rank()).slice(0, 4096), true))));
        DeviceMemory from = floats(0, 5, 6);
        communicators.get(0).put(from.slice(), NcclDataType.FLOAT32, 2, windows.get(0), 16, streams.get(0));
        communicators.get(2).waitSignal(0, 1, streams.get(2));
        assertThat(communicators.get(2).await(streams.get(2), LIMIT)).isTrue();
        assertThat(copied(memory.get(2)).getAtIndex(ValueLayout.JAVA_FLOAT, 5)).isEqualTo(6);
        communicators.get(1).signal(2, streams.get(1));
        communicators.get(2).waitSignal(1, 1, streams.get(2));
        assertThat(communicators.get(2).await(streams.get(2), LIMIT)).isTrue();
    }

    @Test
    void othersThatAskForMemory() {
        initAll(config -> config.name("test").maxThreadBlocks(4).trafficClass(104));
        NcclCommunicator first = communicators.getFirst();
        long before = first.deviceMemory();
        first.suspend();
        assertThatExceptionOfType(NcclException.class).isThrownBy(() -> allReduce(first, floats(0, 1), 0, this));
        first.resume();
        assertThat(first.deviceMemory()).isEqualTo(before).isPositive();
        assertThat(Nccl.parameter("NCCL_IB_DISABLE")).contains("0");
        assertThat(Nccl.parameter("NCCL_NO_SUCH")).isEmpty();
        first.revoke();
        assertThat(Nccl.version()).isEqualTo(new NcclVersion(2, 30, 7));
    }

    /** NCCL makes what it is asked to estimate, if the communicator does not block or is of one rank. */
    @Test
    void estimateMakesNothing() {
        initAll(config -> config.mode(NcclMode.BLOCKING));
        NcclCommunicator first = communicators.getFirst();
        DeviceMemory memory = floats(0, 1);
        assertThat(NcclGroup.estimate(() -> allReduce(first, memory, 0, this))).isPositive();
        assertThat(StandInNccl.calls("ncclGroupSimulateEnd")).isOne();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NcclGroup.estimate(() -> first.split(0, 0)))
                .withMessageContaining("collectives, sends and receives can be estimated, not ncclCommSplit");
        for (NcclMode mode : NcclMode.values()) {
            try (NcclCommunicator alone =
                    NcclCommunicator.init(contexts.getFirst(), 1, 0, NcclUniqueId.create(), c -> c.mode(mode))) {
                alone.await(LIMIT);
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> NcclGroup.estimate(() -> allReduce(alone, memory, 0, this)))
                        .withMessageContaining(
                                mode == NcclMode.BLOCKING ? "for a single rank" : "calls of mode " + mode);
            }
        }
        assertThat(StandInNccl.calls("ncclGroupSimulateEnd")).isOne();
    }

    @Test
    void eachCallThatMakesACommunicatorFailsInTurn() throws ExecutionException {
        for (String call : List.of("ncclGetUniqueId", "ncclGroupStart", "ncclCommInitRankConfig", "ncclGroupEnd")) {
            for (int n = 1; n <= (call.equals("ncclCommInitRankConfig") ? RANKS : 1); n++) {
                StandInNccl.failAt(call, n, 2);
                assertThatExceptionOfType(NcclException.class)
                        .isThrownBy(() -> initAll(config -> {}))
                        .satisfies(e -> assertThat(e.status()).isEqualTo(NcclStatus.SYSTEM_ERROR));
                assertThat(StandInNccl.open()).isEmpty();
            }
        }
        initAll(config -> {});
    }
}
