// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static io.github.rdma4j.cuda.Dependents.Start.BEGUN;
import static io.github.rdma4j.cuda.Dependents.Start.NOTHING_TO_DO;
import static io.github.rdma4j.cuda.Dependents.Start.TIMED_OUT;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests adding, removing and closing of dependents, and their order, without a driver. */
class DependentsTest {
    private static final long PATIENCE = Duration.ofSeconds(60).toNanos();

    private final Dependents dependents = new Dependents();

    private static long soon() {
        return System.nanoTime() + PATIENCE;
    }

    private static long now() {
        return System.nanoTime();
    }

    /** Returns the result of a call in another thread. */
    private static <T> T elsewhere(Callable<T> call) throws Exception {
        FutureTask<T> task = new FutureTask<>(call);
        Thread.ofPlatform().start(task);
        return task.get(30, TimeUnit.SECONDS);
    }

    /** Another thread that closes, when it has come as far as to wait. */
    private final class Closer {
        final FutureTask<Dependents.Start> start = new FutureTask<>(() -> dependents.startClosing(soon()));
        final Thread thread = Thread.ofPlatform().start(start);

        Closer() throws InterruptedException {
            long deadline = soon();
            while (thread.getState() != Thread.State.TIMED_WAITING) {
                assertThat(now())
                        .as("a closer that waits: %s", thread.getState())
                        .isLessThan(deadline);
                Thread.sleep(1);
            }
        }

        Dependents.Start end() throws Exception {
            return start.get(30, TimeUnit.SECONDS);
        }
    }

    /** An object of CUDA with nothing behind it. */
    private static CudaResource resource() {
        return new CudaResource(null) {
            @Override
            public CudaContext context() {
                throw new AssertionError("there is none");
            }

            @Override
            public long handle() {
                return 0;
            }

            @Override
            void release() {}
        };
    }

    private void assertNoLockIsHeld() throws Exception {
        assertThat(elsewhere(dependents::startCreation)).isTrue();
    }

    @Test
    void youngestComesFirstAndThoseOfOtherLibrariesBeforeCudasOwn() throws Exception {
        CudaResource first = resource();
        CudaResource second = resource();
        AutoCloseable third = () -> {};
        AutoCloseable fourth = () -> {};
        assertThat(dependents.startCreation()).isTrue();
        dependents.endCreation(first);
        assertThat(dependents.add(third)).isTrue();
        assertThat(dependents.add(fourth)).isTrue();
        assertThat(dependents.startCreation()).isTrue();
        dependents.endCreation(second);
        assertThat(dependents.newestExcept(Set.of())).isSameAs(fourth);
        assertThat(dependents.newestExcept(Set.of(fourth))).isSameAs(third);
        dependents.remove(third);
        dependents.remove(fourth);
        assertThat(dependents.newestExcept(Set.of())).isSameAs(second);
        assertThat(dependents.newestExcept(Set.of(second))).isSameAs(first);
        assertThat(dependents.newestExcept(Set.of(second, first))).isNull();
        dependents.remove(second);
        assertThat(dependents.newestExcept(Set.of())).isSameAs(first);
        assertNoLockIsHeld();
    }

    @Test
    void whileOneClosesTheOthersCanMakeNothing() throws Exception {
        assertThat(dependents.startClosing(soon())).isEqualTo(BEGUN);
        assertThat(elsewhere(dependents::startCreation)).isFalse();
        assertThat(elsewhere(() -> dependents.add(() -> {}))).isFalse();
        // A dependent that is being closed may create another one, and may start to close again further down.
        assertThat(dependents.add(() -> {})).isTrue();
        assertThat(dependents.startCreation()).isTrue();
        assertThat(dependents.startClosing(now())).isEqualTo(NOTHING_TO_DO);
        dependents.endCreation(null);
        assertThat(elsewhere(() -> dependents.startClosing(now()))).isEqualTo(TIMED_OUT);
        dependents.endClosing(false);
        assertThat(elsewhere(() -> dependents.add(() -> {}))).isTrue();
    }

    @Test
    void sealedNobodyAddsAndNotWhoClosesEither() throws Exception {
        assertThat(dependents.startClosing(soon())).isEqualTo(BEGUN);
        dependents.seal();
        assertThat(dependents.startCreation()).isFalse();
        assertThat(dependents.add(() -> {})).isFalse();
        dependents.unseal();
        assertThat(dependents.add(() -> {})).isTrue();
        dependents.endClosing(false);
        assertNoLockIsHeld();
    }

    @Test
    void closeWaitsForUnfinishedCreation() throws Exception {
        assertThat(dependents.startCreation()).isTrue();
        assertThat(dependents.startCreation()).isTrue();
        assertThat(dependents.startClosing(now())).isEqualTo(TIMED_OUT);
        Closer closer = new Closer();
        dependents.endCreation(null);
        assertThat(elsewhere(() -> dependents.startClosing(now()))).isEqualTo(TIMED_OUT);
        dependents.endCreation(null);
        assertThat(closer.end()).isEqualTo(BEGUN);
    }

    @Test
    void secondCloserWaitsForFirst() throws Exception {
        assertThat(dependents.startClosing(soon())).isEqualTo(BEGUN);
        Closer second = new Closer();
        second.thread.interrupt();
        assertThat(second.thread.join(Duration.ofMillis(20))).isFalse();
        dependents.endClosing(false);
        assertThat(second.end()).isEqualTo(BEGUN);
    }

    @Test
    void closedDependentIsNotClosedAgain() throws Exception {
        assertThat(dependents.startClosing(soon())).isEqualTo(BEGUN);
        Closer second = new Closer();
        dependents.endClosing(true);
        assertThat(second.end()).isEqualTo(NOTHING_TO_DO);
        assertThat(dependents.startClosing(soon())).isEqualTo(NOTHING_TO_DO);
    }

    @Test
    void interruptBeforeAWaitIsKeptAndEndsNothing() throws Exception {
        assertThat(dependents.startCreation()).isTrue();
        FutureTask<Boolean> closer = new FutureTask<>(() -> {
            Thread.currentThread().interrupt();
            long begin = now();
            assertThat(dependents.startClosing(begin + Duration.ofMillis(20).toNanos()))
                    .isEqualTo(TIMED_OUT);
            assertThat(now() - begin)
                    .isGreaterThanOrEqualTo(Duration.ofMillis(20).toNanos());
            return Thread.interrupted();
        });
        Thread.ofPlatform().start(closer);
        assertThat(closer.get(30, TimeUnit.SECONDS)).isTrue();
    }
}
