// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests waiting, waking and the completion of futures, with real threads and without verbs. A thread that sleeps too
 * long fails by the timeout.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("training")
class EngineTest {
    /** Longer than a test's timeout: a thread that sleeps this long was not woken. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final Duration SHORT = Duration.ofMillis(50);
    private static final MemoryHandle COUNTER =
            new MemoryHandle(new RemoteMemory(8, 8, 1), Set.of(AccessFlag.REMOTE_ATOMIC, AccessFlag.REMOTE_WRITE));

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private FakePair pair = newPair(config -> config.sendDepth(2).receiveBuffers(4));

    /** {@link SpinningEngineTest} has threads that look for a while before they sleep. */
    Duration spinLimit() {
        return Duration.ZERO;
    }

    private FakePair newPair(Consumer<EndpointConfig> configuration) {
        return newPair(configuration, spinLimit());
    }

    private FakePair newPair(Consumer<EndpointConfig> configuration, Duration limit) {
        return new FakePair(config -> configuration.accept(config.spinLimit(limit)));
    }

    @AfterEach
    void close() {
        pair.close();
        executor.shutdownNow();
    }

    private static MemorySegment text(String text) {
        return MemorySegment.ofArray(text.getBytes());
    }

    @Test
    void channelWhoseCloseIsInterruptedKeepsNoMessage() throws Exception {
        pair.left.send(text("read in part"), PATIENCE);
        ByteChannel channel = pair.right.asByteChannel(PATIENCE);
        assertThat(channel.read(ByteBuffer.allocate(1))).isEqualTo(1);
        // One more than the peer has buffers for: the close waits for it.
        for (int i = 0; i < 5; i++) {
            pair.right.sendAsync(text("message " + i));
        }
        Thread.currentThread().interrupt();
        assertThatThrownBy(channel::close).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(pair.rightTransport.freed).isTrue();
    }

    @Test
    void blockingTransfersOfSeveralThreadsAreAllWoken() throws Exception {
        int rounds = 5_000;
        List<Future<?>> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            threads.add(executor.submit(() -> {
                for (int k = 0; k < rounds; k++) {
                    pair.left.transfers().fetchAndAdd(COUNTER, 1, PATIENCE);
                }
            }));
        }
        for (Future<?> thread : threads) {
            thread.get();
        }
        assertThat(pair.left.transfers().fetchAndAdd(COUNTER, 1, PATIENCE)).isEqualTo(3L * rounds);
    }

    /** On a device each end of a sleep costs several system calls, and on an emulated processor half a millisecond. */
    @Test
    void waitForMessagesIsNotWokenByCompletedSends() throws Exception {
        pair.close();
        pair = newPair(config -> config.sendDepth(32).receiveBuffers(32));
        Future<?> waiting = executor.submit(() -> pair.left.receive(PATIENCE).orElseThrow());
        while (!pair.leftTransport.missesEnds()) {
            Thread.sleep(1);
        }
        for (int i = 0; i < 16; i++) {
            assertThat(pair.left.trySend(text("sent"))).isEqualTo(Endpoint.OK);
        }
        assertThat(pair.leftTransport.bell.signals).isZero();
        assertThat(pair.right.trySend(text("answer"))).isEqualTo(Endpoint.OK);
        waiting.get();
        assertThat(pair.leftTransport.bell.signals).isEqualTo(1);
    }

    /** Before the wait, behind the arming, and behind the sleep: there is nothing to learn from a further look. */
    @Test
    void waitThatMayNotSpinLooksOnceBehindItsSleep() throws Exception {
        pair.close();
        pair = newPair(config -> config.receiveBuffers(32).sendDepth(32), Duration.ZERO);
        int before = pair.leftTransport.polls;
        Future<?> waiting = executor.submit(() -> pair.left.receive(PATIENCE).orElseThrow());
        while (!pair.leftTransport.missesEnds()) {
            Thread.sleep(1);
        }
        assertThat(pair.right.trySend(text("answer"))).isEqualTo(Endpoint.OK);
        waiting.get();
        assertThat(pair.leftTransport.polls - before).isEqualTo(3);
    }

    /**
     * A completion costs about as much as a post. The last post of a full queue must be signaled, or no completion
     * would free a slot.
     */
    @Test
    void fillingQueueSignalsFewCompletions() {
        pair.close();
        pair = newPair(config -> config.sendDepth(8).receiveBuffers(16));
        for (int round = 1; round <= 3; round++) {
            pair.leftTransport.cut = true;
            for (int i = 0; i < 8; i++) {
                assertThat(pair.left.trySend(text("fills"))).isEqualTo(Endpoint.OK);
            }
            assertThat(pair.left.trySend(text("too many"))).isEqualTo(Endpoint.QUEUE_FULL);
            pair.leftTransport.cut = false;
            pair.leftTransport.queues.deliverAll();
            assertThat(pair.leftTransport.queues.ends).isEqualTo(2 * round);
            assertThat(pair.right.poll(message -> {})).isEqualTo(8);
            assertThat(pair.left.poll(message -> {})).isZero();
        }
    }

    @Test
    void waitForMessagesIsWokenForWaitersOfCompletions() throws Exception {
        Future<?> waiting = executor.submit(() -> pair.left.receive(PATIENCE).orElseThrow());
        while (!pair.leftTransport.missesEnds()) {
            Thread.sleep(1);
        }
        // One thread sleeps for all waiters, so it must be woken by the completion of the transfer.
        CompletableFuture<Void> sent = pair.left.sendAsync(text("sent"));
        while (!sent.isDone()) {
            Thread.sleep(1);
        }
        assertThat(pair.right.trySend(text("answer"))).isEqualTo(Endpoint.OK);
        waiting.get();
    }

    @Test
    void waitForASlotIsWokenByACompletedSend() throws Exception {
        pair.leftTransport.cut = true;
        Future<?> waiting = executor.submit(() -> pair.left.receive(PATIENCE).orElseThrow());
        while (!pair.leftTransport.missesEnds()) {
            Thread.sleep(1);
        }
        for (int i = 0; i < 2; i++) {
            assertThat(pair.left.trySend(text("fills"))).isEqualTo(Endpoint.OK);
        }
        Future<Boolean> sending = executor.submit(() -> pair.left.send(text("waits"), PATIENCE));
        Thread.sleep(20);
        assertThat(sending).isNotDone();
        pair.leftTransport.cut = false;
        pair.leftTransport.queues.deliverAll();
        assertThat(sending.get()).isTrue();
        pair.right.send(text("answer"), PATIENCE);
        waiting.get();
    }

    @Test
    void slowCallbackHoldsUpNoOtherThread() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Void> slow = pair.left.sendAsync(text("slow")).thenRun(() -> {
            begun.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        Future<?> held = executor.submit(() -> pair.left.poll(message -> {}));
        begun.await();
        for (int i = 0; i < 100; i++) {
            pair.left.transfers().fetchAndAdd(COUNTER, 1, PATIENCE);
            pair.left.transfers().fetchAndAddAsync(COUNTER, 1).get();
        }
        goOn.countDown();
        held.get();
        slow.join();
    }

    @Test
    void pollingFreesPlacesForThoseWhoWait() throws Exception {
        pair.left.transfers().tryWrite(1, null, COUNTER);
        pair.left.transfers().tryWrite(2, null, COUNTER);
        CompletableFuture<Void> waiting = pair.left.sendAsync(text("waits"));
        Future<Boolean> sleeping = executor.submit(() -> pair.left.send(text("sleeps"), PATIENCE));
        Thread.sleep(100);
        assertThat(waiting).isNotDone();
        assertThat(sleeping).isNotDone();
        assertThat(pair.left.transfers().pollTransfers((id, original, failure) -> {}))
                .isEqualTo(2);
        assertThat(sleeping.get()).isTrue();
        waiting.get();
        assertThat(pair.right.receive(PATIENCE)).hasValue("waits".getBytes());
        assertThat(pair.right.receive(PATIENCE)).hasValue("sleeps".getBytes());
    }

    @Test
    void messageNeverOvertakesAnEarlierTransfer() {
        pair.left.transfers().tryWrite(1, null, COUNTER);
        pair.left.transfers().tryWrite(2, null, COUNTER);
        CompletableFuture<Long> earlier = pair.left.transfers().fetchAndAddAsync(COUNTER, 1);
        List<Long> seen = new ArrayList<>();
        // Also from within the handler, which runs when slots are free again.
        pair.left.transfers().pollTransfers((id, original, failure) -> {
            if (pair.left.trySend(text("behind")) == Endpoint.OK) {
                seen.add(pair.rightTransport.memory[0]);
            }
        });
        assertThat(seen).isNotEmpty().doesNotContain(0L);
        assertThat(earlier.join()).isZero();
    }

    @Test
    void transfersAndMessagesThatWaitArePostedInTheOrderOfTheCalls() {
        pair.left.transfers().tryWrite(1, null, COUNTER);
        pair.left.transfers().tryWrite(2, null, COUNTER);
        CompletableFuture<Void> message = pair.left.sendAsync(text("first"));
        CompletableFuture<Long> behind = pair.left.transfers().fetchAndAddAsync(COUNTER, 1);
        assertThat(pair.left.transfers().tryFetchAndAdd(3, COUNTER, 1)).isEqualTo(Endpoint.QUEUE_FULL);
        assertThat(pair.left.trySend(text("third"))).isEqualTo(Endpoint.QUEUE_FULL);
        pair.left.transfers().pollTransfers((id, original, failure) -> {});
        message.join();
        behind.join();
        assertThat(pair.rightTransport.memory[0]).isEqualTo(1);
    }

    @Test
    void closeSendsWhatWasAcceptedAlthoughNobodyPollsTransfers() {
        pair.left.transfers().tryWrite(1, null, COUNTER);
        pair.left.transfers().tryWrite(2, null, COUNTER);
        CompletableFuture<Void> accepted = pair.left.sendAsync(text("accepted"));
        pair.left.close(PATIENCE);
        assertThat(accepted).isCompleted();
        assertThat(pair.right.receive(PATIENCE)).hasValue("accepted".getBytes());
        assertThatThrownBy(() -> pair.right.receive(PATIENCE)).isInstanceOf(ClosedByPeerException.class);
    }

    @Test
    void abortEndsACloseThatWaits() throws Exception {
        for (int i = 0; i < 6; i++) {
            pair.left.sendAsync(text("nobody reads it"));
        }
        Future<?> closing = executor.submit(() -> pair.left.close(PATIENCE));
        while (pair.left.isOpen()) {
            Thread.onSpinWait();
        }
        Thread.sleep(50);
        pair.left.abort();
        closing.get();
    }

    @Test
    void outOfMemoryErrorLosesNoMessage() {
        pair.left.send(text("one"), PATIENCE);
        pair.left.send(text("two"), PATIENCE);
        pair.rightTransport.outOfMemory = () -> true;
        assertThatThrownBy(() -> pair.right.receive(PATIENCE)).isInstanceOf(OutOfMemoryError.class);
        assertThatThrownBy(() -> pair.right.receiveAsync().join()).hasCauseInstanceOf(OutOfMemoryError.class);
        pair.rightTransport.outOfMemory = () -> false;
        assertThat(pair.right.receive(PATIENCE)).hasValue("one".getBytes());
        assertThat(pair.right.receiveAsync().join()).isEqualTo("two".getBytes());
        for (int i = 0; i < 20; i++) {
            assertThat(pair.left.send(text("m" + i), PATIENCE)).isTrue();
            assertThat(pair.right.receive(PATIENCE)).hasValue(("m" + i).getBytes());
        }
    }

    @Test
    void requestThatIsCancelledOrTimesOutLosesNoMessage() throws Exception {
        CompletableFuture<byte[]> cancelled = pair.right.receiveAsync();
        CompletableFuture<byte[]> late = pair.right.receiveAsync().orTimeout(20, TimeUnit.MILLISECONDS);
        CompletableFuture<byte[]> third = pair.right.receiveAsync();
        assertThat(cancelled.cancel(false)).isTrue();
        assertThatThrownBy(late::get).hasCauseInstanceOf(java.util.concurrent.TimeoutException.class);
        pair.left.send(text("for the third"), PATIENCE);
        assertThat(third.get()).isEqualTo("for the third".getBytes());
        assertThat(third.cancel(false)).isFalse();
        assertThatThrownBy(cancelled::join).isInstanceOf(CancellationException.class);
    }

    /** The race itself: a message is either in the future or still to be received. */
    @Test
    void requestCancelledLateStillGetsTheMessage() throws Exception {
        for (int i = 0; i < 3_000; i++) {
            CompletableFuture<byte[]> request = pair.right.receiveAsync();
            Future<Boolean> cancel = executor.submit(() -> request.cancel(false));
            pair.left.send(text("m" + i), PATIENCE);
            pair.right.poll(message -> {});
            byte[] got = cancel.get() ? null : request.get();
            if (got == null && !request.isCancelled()) {
                throw new AssertionError("neither cancelled nor complete");
            }
            if (got != null) {
                assertThat(got).isEqualTo(("m" + i).getBytes());
            }
        }
    }

    @Test
    void messageCancelledBeforeItsTurnIsNotSent() {
        for (int i = 0; i < 4; i++) {
            assertThat(pair.left.send(text("m" + i), PATIENCE)).isTrue();
        }
        CompletableFuture<Void> cancelled = pair.left.sendAsync(text("taken back"));
        CompletableFuture<Void> late = pair.left.sendAsync(text("too late")).orTimeout(10, TimeUnit.MILLISECONDS);
        CompletableFuture<Void> kept = pair.left.sendAsync(text("kept"));
        cancelled.cancel(false);
        assertThatThrownBy(late::join).hasCauseInstanceOf(java.util.concurrent.TimeoutException.class);
        for (int i = 0; i < 4; i++) {
            assertThat(pair.right.receive(PATIENCE)).hasValue(("m" + i).getBytes());
        }
        kept.join();
        assertThat(pair.right.receive(PATIENCE)).hasValue("kept".getBytes());
    }

    @Test
    void transferThatTimedOutBeforeItsTurnIsNotPosted() {
        pair.left.transfers().tryWrite(1, null, COUNTER);
        pair.left.transfers().tryWrite(2, null, COUNTER);
        assertThatThrownBy(() -> pair.left.transfers().fetchAndAdd(COUNTER, 1, SHORT))
                .isInstanceOf(TransferTimeoutException.class);
        pair.left.transfers().pollTransfers((id, original, failure) -> {});
        assertThat(pair.left.transfers().fetchAndAdd(COUNTER, 1, PATIENCE)).isZero();
    }

    @Test
    void asynchronousLoopRunsThroughAnyNumberOfMessages() {
        int count = 30_000;
        pair.close();
        pair = newPair(config -> config.receiveBuffers(count));
        for (int i = 0; i < count; i++) {
            while (pair.left.trySend(text("x")) != Endpoint.OK) {
                pair.left.poll(message -> {});
            }
        }
        AtomicInteger got = new AtomicInteger();
        receiveForEver(got);
        while (got.get() < count) {
            pair.right.transfers().pollTransfers((id, original, failure) -> {});
        }
        assertThat(got).hasValue(count);
    }

    private void receiveForEver(AtomicInteger got) {
        pair.right.receiveAsync().thenAccept(message -> {
            got.incrementAndGet();
            receiveForEver(got);
        });
    }

    @Test
    void loopThatWaitsInItsCallbacksRunsThroughAsWell() {
        AtomicInteger done = new AtomicInteger();
        List<CompletableFuture<Void>> futures = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            futures.add(pair.left.transfers().fetchAndAddAsync(COUNTER, 1).thenAccept(before -> {
                pair.left.transfers().fetchAndAdd(COUNTER, 0, PATIENCE);
                done.incrementAndGet();
            }));
        }
        futures.forEach(CompletableFuture::join);
        assertThat(done).hasValue(5_000);
    }

    @Test
    void oneThreadAloneMayWaitForFutures() throws Exception {
        pair.left.sendAsync(text("one")).get();
        assertThat(pair.right.receiveAsync().get(1, TimeUnit.MINUTES)).isEqualTo("one".getBytes());
        for (int i = 0; i < 7; i++) {
            pair.left.sendAsync(text("m" + i));
        }
        // A future derived from another one waits in the same way, also for other threads.
        assertThat(pair.right.receiveAsync().thenApply(String::new).join()).isEqualTo("m0");
        assertThat(pair.right
                        .receiveAsync()
                        .thenApplyAsync(String::new, executor)
                        .get())
                .isEqualTo("m1");
        for (long timeout : new long[] {20, 0, -1, Long.MIN_VALUE}) {
            assertThatThrownBy(() -> pair.left.receiveAsync().get(timeout, TimeUnit.MILLISECONDS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
        }
    }

    @Test
    void interruptEndsGetAndNotJoin() throws Exception {
        CompletableFuture<byte[]> request = pair.right.receiveAsync();
        Thread.currentThread().interrupt();
        assertThatThrownBy(request::get).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        Future<?> later = executor.submit(() -> {
            Thread.sleep(50);
            return pair.left.send(text("came"), PATIENCE);
        });
        Thread.currentThread().interrupt();
        assertThat(request.join()).isEqualTo("came".getBytes());
        assertThat(Thread.interrupted()).isTrue();
        later.get();
    }

    @Test
    void awaitTransfersNeverComesBackWithNothingBeforeItsTime() throws Exception {
        AtomicInteger reported = new AtomicInteger();
        int rounds = 2_000;
        AtomicInteger empty = new AtomicInteger();
        List<Future<?>> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            threads.add(executor.submit(() -> {
                while (reported.get() < rounds) {
                    if (pair.left
                                    .transfers()
                                    .awaitTransfers((id, original, failure) -> reported.incrementAndGet(), PATIENCE)
                            == 0) {
                        empty.incrementAndGet();
                    }
                }
            }));
        }
        for (int i = 0; i < rounds; i++) {
            while (pair.left.transfers().tryWrite(i, null, COUNTER) != Endpoint.OK) {
                Thread.onSpinWait();
            }
        }
        // When all transfers have been reported, one thread or both may still wait for another one.
        while (!threads.stream().allMatch(Future::isDone)) {
            pair.left.transfers().tryWrite(-1, null, COUNTER);
        }
        for (Future<?> thread : threads) {
            thread.get();
        }
        assertThat(empty).hasValue(0);
    }

    @Test
    void awaitTransfersReportsALostConnection() throws Exception {
        Future<?> waiting =
                executor.submit(() -> pair.left.transfers().awaitTransfers((id, original, failure) -> {}, PATIENCE));
        Thread.sleep(50);
        pair.leftTransport.lost = "the cable was cut";
        // Wakes the waiting thread. This thread may be the first to notice the loss.
        catchThrowableOfType(ConnectionLostException.class, () -> pair.left.send(text("wakes"), Duration.ZERO));
        assertThatThrownBy(waiting::get).hasCauseInstanceOf(ConnectionLostException.class);
        assertThatThrownBy(() -> pair.left.transfers().awaitTransfers((id, original, failure) -> {}, PATIENCE))
                .isInstanceOf(ConnectionLostException.class)
                .hasMessageContaining("the cable was cut");
    }

    @Test
    void peerThatLiesCostsTheConnectionAndNothingElse() {
        for (Runnable lie : List.<Runnable>of(
                () -> pair.leftTransport.queues.lie(true, Frame.of(Frame.MESSAGE, 1), 4),
                () -> pair.leftTransport.queues.lie(true, Frame.of(7, 0), 4),
                () -> pair.leftTransport.queues.lie(true, Frame.of(Frame.MESSAGE, 0), 100_000),
                () -> pair.leftTransport.queues.lie(false, 0, 4),
                () -> pair.rightTransport.overrun = true,
                () -> {
                    for (int i = 0; i < 6; i++) {
                        pair.leftTransport.queues.lie(true, Frame.of(Frame.MESSAGE, 0), 4);
                    }
                })) {
            pair.leftTransport.lying = true;
            assertThat(pair.left.trySend(text("true"))).isEqualTo(Endpoint.OK);
            lie.run();
            assertThat(pair.right.receive(PATIENCE)).hasValue("true".getBytes());
            assertThatThrownBy(() -> {
                        while (true) {
                            pair.right.receive(PATIENCE);
                        }
                    })
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("does not keep to the endpoint protocol");
            pair.close();
            pair = newPair(config -> config.sendDepth(2).receiveBuffers(4));
        }
    }

    @Test
    void messageIsValidUntilItsHandlerReturnsAlsoIfTheEndpointIsClosedMeanwhile() {
        pair.left.send(text("kept"), PATIENCE);
        AtomicReference<Message> kept = new AtomicReference<>();
        pair.right.receive(
                message -> {
                    kept.set(message);
                    pair.right.close();
                    assertThat(pair.rightTransport.closed).isTrue();
                    assertThat(pair.rightTransport.freed).isFalse();
                    assertThat(message.toBytes()).isEqualTo("kept".getBytes());
                },
                PATIENCE);
        assertThat(pair.rightTransport.freed).isTrue();
        assertThatThrownBy(() -> kept.get().segment())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("until its handler returned");
        assertThatThrownBy(() -> kept.get().toBytes()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> kept.get().length()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closedEndpointHasNoCredits() {
        assertThat(pair.left.credits()).isEqualTo(4);
        pair.right.close();
        while (pair.left.poll(message -> {}) == 0) {
            Thread.onSpinWait();
        }
        assertThat(pair.left.credits()).isZero();
        pair.left.close();
        assertThatThrownBy(pair.left::credits).isInstanceOf(IllegalStateException.class);
    }

    /** HotSpot throws the same OutOfMemoryError again, once it has thrown a few. */
    @Test
    void errorThatChangedNothingLosesTheConnectionWhenItComesAgain() {
        List<Consumer<Endpoint>> receives = List.of(
                endpoint -> assertThatThrownBy(() -> endpoint.receive(PATIENCE)).isInstanceOf(OutOfMemoryError.class),
                endpoint -> assertThatThrownBy(() -> endpoint.receiveAsync().get())
                        .hasCauseInstanceOf(OutOfMemoryError.class));
        for (Consumer<Endpoint> receive : receives) {
            pair.close();
            pair = newPair(config -> {});
            AtomicReference<Error> thrown = new AtomicReference<>();
            pair.rightTransport.undone = thrown::set;
            pair.rightTransport.outOfMemory = () -> thrown.get() == null;
            assertThat(pair.left.send(text("message"), PATIENCE)).isTrue();
            receive.accept(pair.right);
            assertThat(pair.right.receive(PATIENCE)).hasValue("message".getBytes());
            assertThat(pair.right.isUp()).isTrue();
            pair.right.engine().fatalError = thrown.get();
            assertThat(pair.right.isUp()).isFalse();
        }
    }

    @Test
    void spinLimitIsFromZeroToASecond() {
        EndpointConfig config = new EndpointConfig();
        assertThat(config.spinLimit(Duration.ofSeconds(1)).settings().times().spin())
                .isEqualTo(Duration.ofSeconds(1));
        assertThatThrownBy(() -> config.spinLimit(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("zero to 1 s");
        assertThatThrownBy(() -> config.spinLimit(Duration.ofMillis(1001)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void waitAndPollReportADeadWire() throws Exception {
        pair.close();
        pair = newPair(config -> config.silenceTimeout(Duration.ofMillis(400)));
        // As long as it works, nothing happens, whatever the time.
        assertThat(pair.left.receive(Duration.ofSeconds(2))).isEmpty();
        assertThat(pair.left.send(text("alive"), PATIENCE)).isTrue();
        pair.leftTransport.cut = true;
        pair.rightTransport.cut = true;
        Future<?> idle = executor.submit(() -> pair.right.receive(PATIENCE).orElseThrow());
        assertThat(idle.get()).isNotNull();
        Future<?> sleeping = executor.submit(() -> pair.right.receive(PATIENCE));
        CompletableFuture<Void> sent = pair.left.sendAsync(text("into the void"));
        assertThatThrownBy(sent::get)
                .hasCauseInstanceOf(ConnectionLostException.class)
                .hasMessageContaining("silenceTimeout");
        assertThatThrownBy(sleeping::get).hasCauseInstanceOf(ConnectionLostException.class);
        assertThatThrownBy(() -> {
                    while (true) {
                        pair.left.poll(message -> {});
                    }
                })
                .isInstanceOf(ConnectionLostException.class);
    }
}
