// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.promise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.WaitInterruptedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests who completes a future, when its listeners are notified, and how a waiting thread drives the endpoint. Uses one
 * thread.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PromiseTest {
    private static final IllegalStateException FAILURE = new IllegalStateException("failed");

    /** An endpoint that does one thing when somebody waits for it. */
    private static final class Endpoint implements Progress {
        final List<Duration> waits = new ArrayList<>();
        int nudges;
        Runnable meanwhile = () -> {};

        @Override
        public void nudge() {
            nudges++;
        }

        @Override
        public void awaitDecided(ProgressFuture<?> future, Duration timeout) {
            waits.add(timeout);
            meanwhile.run();
        }
    }

    private final Endpoint endpoint = new Endpoint();
    private final Promise<String> promise = new Promise<>(endpoint);

    // ---- Who decides ----

    @Test
    void decisionOfTheEndpointIsNotifiedLater() {
        assertThat(promise.decide("value", null)).isTrue();
        assertThat(promise.isDecided()).isTrue();
        assertThat(promise.isDone()).isFalse();
        assertThat(promise.decide("another", null)).isFalse();
        promise.handOver();
        assertThat(promise).isCompletedWithValue("value");
        assertThat(promise.decidedValue()).isEqualTo("value");
        assertThat(promise.isWithdrawn()).isFalse();
        assertThat(endpoint.nudges).isZero();
    }

    @Test
    void failureIsAlsoNotified() {
        assertThat(promise.decide(null, FAILURE)).isTrue();
        assertThat(promise.decidedFailure()).isSameAs(FAILURE);
        promise.handOver();
        assertThat(promise).isCompletedExceptionally();
        assertThatThrownBy(promise::join).hasCause(FAILURE);
    }

    @Test
    void undecidedPromiseIsNotNotified() {
        promise.handOver();
        assertThat(promise).isNotDone();
        assertThat(promise.isDecided()).isFalse();
    }

    private static Stream<Function<Promise<String>, Boolean>> withdrawals() {
        return Stream.of(
                promise -> promise.complete("the program's"),
                promise -> promise.completeExceptionally(FAILURE),
                promise -> promise.cancel(false));
    }

    /** A message is given to a future only if the future takes it. */
    @ParameterizedTest
    @MethodSource("withdrawals")
    void programsDecisionPrecedesTheEndpoints(Function<Promise<String>, Boolean> withdraw) {
        assertThat(withdraw.apply(promise)).isTrue();
        assertThat(promise.isWithdrawn()).isTrue();
        assertThat(promise.isDecided()).isTrue();
        assertThat(promise.decide("the endpoint's", null)).isFalse();
        promise.handOver();
        assertThat(promise.isDone()).isTrue();
        assertThat(endpoint.nudges).as("others may go now").isPositive();
    }

    @ParameterizedTest
    @MethodSource("withdrawals")
    void decisionOfTheEndpointReachesTheProgram(Function<Promise<String>, Boolean> withdraw) {
        promise.decide("the endpoint's", null);
        assertThat(withdraw.apply(promise)).isFalse();
        assertThat(promise).isCompletedWithValue("the endpoint's");
        assertThat(promise.isWithdrawn()).isFalse();
        assertThat(endpoint.nudges).isZero();
    }

    @Test
    void futureIsCancelledOnceAndStaysSo() {
        assertThat(promise.cancel(false)).isTrue();
        assertThat(promise.cancel(true)).isTrue();
        assertThat(promise.complete("too late")).isFalse();
        assertThat(promise.completeExceptionally(FAILURE)).isFalse();
        assertThat(promise).isCancelled();
        Promise<String> complete = new Promise<>(endpoint);
        complete.complete("value");
        assertThat(complete.cancel(false)).isFalse();
        assertThat(complete).isCompletedWithValue("value");
    }

    @Test
    void executorDecidesAsTheProgramDoes() {
        List<Runnable> later = new ArrayList<>();
        assertThat(promise.completeAsync(() -> "made", later::add)).isSameAs(promise);
        assertThat(promise.isDecided()).isFalse();
        later.removeFirst().run();
        assertThat(promise).isCompletedWithValue("made");
        Promise<String> failing = new Promise<>(endpoint);
        failing.completeAsync(
                () -> {
                    throw FAILURE;
                },
                Runnable::run);
        assertThat(failing).isCompletedExceptionally();
        Promise<String> common = new Promise<>(null);
        assertThat(common.completeAsync(() -> "made")).isSameAs(common);
        assertThat(CompletableFuture.allOf(common)).succeedsWithin(Duration.ofSeconds(50));
        assertThat(common.isWithdrawn()).isTrue();
    }

    // ---- Who waits ----

    @Test
    void waiterMakesProgressAndIsNotified() throws Exception {
        endpoint.meanwhile = () -> promise.decide("come", null);
        assertThat(promise.get()).isEqualTo("come");
        assertThat(endpoint.waits).containsExactly(Progress.FOR_EVER);
        assertThat(promise.join()).isEqualTo("come");
        assertThat(endpoint.waits).as("it is done already").hasSize(1);
    }

    @Test
    void joiningMakesProgressAsWell() {
        endpoint.meanwhile = () -> promise.decide(null, FAILURE);
        assertThatThrownBy(promise::join).hasCause(FAILURE);
        assertThat(endpoint.waits).containsExactly(Progress.FOR_EVER);
    }

    @Test
    void waitWithALimitEndsWithIt() throws Exception {
        assertThatThrownBy(() -> promise.get(20, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        assertThatThrownBy(() -> promise.get(-1, TimeUnit.DAYS)).isInstanceOf(TimeoutException.class);
        assertThat(endpoint.waits).containsExactly(Duration.ofMillis(20), Duration.ZERO);
        endpoint.meanwhile = () -> promise.decide(null, FAILURE);
        assertThatThrownBy(() -> promise.get(1, TimeUnit.MINUTES))
                .isInstanceOf(ExecutionException.class)
                .hasCause(FAILURE);
        Promise<String> decided = new Promise<>(null);
        decided.complete("value");
        assertThat(decided.get(1, TimeUnit.MINUTES)).isEqualTo("value");
    }

    /** Its executor, or a program that cancels it, completes it: nobody else would wake the endpoint's thread. */
    @Test
    void derivedFutureMakesProgressAndWakes() {
        CompletableFuture<Integer> made = promise.thenApply(String::length);
        endpoint.meanwhile = () -> {
            assertThat(endpoint.nudges).isZero();
            assertThat(((ProgressFuture<Integer>) made).isDecided()).isFalse();
            promise.decide("four", null);
            promise.handOver();
            assertThat(((ProgressFuture<Integer>) made).isDecided()).isTrue();
            assertThat(endpoint.nudges).isEqualTo(1);
        };
        assertThat(made.join()).isEqualTo(4);
        assertThat(endpoint.waits).hasSize(1);
    }

    @Test
    void howeverOftenSomebodyWaitsItWakesOnce() {
        CompletableFuture<Integer> made = promise.thenApply(String::length);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> made.get(0, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
        }
        promise.decide("four", null);
        promise.handOver();
        assertThat(endpoint.nudges).isEqualTo(1);
    }

    @Test
    void interruptEndsAWaitAndIsKeptByAJoin() {
        int[] times = {0};
        endpoint.meanwhile = () -> {
            if (times[0]++ < 2) {
                Thread.currentThread().interrupt();
                throw new WaitInterruptedException("waiting");
            }
            promise.decide("come", null);
        };
        assertThatThrownBy(promise::get)
                .isInstanceOf(InterruptedException.class)
                .hasCauseInstanceOf(WaitInterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted())
                .as("the exception reports the interrupt")
                .isFalse();
        assertThat(promise.join()).isEqualTo("come");
        assertThat(Thread.interrupted()).as("a join restores the status").isTrue();
        assertThat(endpoint.waits).hasSize(3);
        promise.join();
        assertThat(Thread.interrupted()).isFalse();
    }

    // ---- The order of notifications ----

    @Test
    void decisionsAreNotifiedInOrder() {
        Decisions decisions = new Decisions();
        assertThat(decisions.isEmpty()).isTrue();
        assertThat(decisions.take()).isNull();
        List<Promise<?>> all =
                Stream.<Promise<?>>generate(() -> new Promise<>(null)).limit(3).toList();
        all.forEach(decisions::add);
        assertThat(decisions.isEmpty()).isFalse();
        assertThat(decisions.first()).isSameAs(all.get(0));
        assertThat(decisions.last()).isSameAs(all.get(2));
        Promise<?> taken = decisions.take();
        assertThat(taken).isSameAs(all.get(0));
        assertThat(taken.next).isNull();
        decisions.putBack(taken);
        for (Promise<?> each : all) {
            assertThat(decisions.take()).isSameAs(each);
        }
        assertThat(decisions.isEmpty()).isTrue();
        assertThat(decisions.last()).isNull();
        decisions.putBack(taken);
        assertThat(decisions.last()).isSameAs(taken);
        decisions.add(all.get(1));
        assertThat(decisions.take()).isSameAs(taken);
        decisions.add(all.get(2));
        assertThat(decisions.take()).isSameAs(all.get(1));
        assertThat(decisions.take()).isSameAs(all.get(2));
        decisions.add(taken);
        assertThat(decisions.take()).isSameAs(taken);
    }
}
