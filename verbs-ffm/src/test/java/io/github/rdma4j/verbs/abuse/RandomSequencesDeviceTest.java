// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.abuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.github.rdma4j.verbs.VerbsException;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random sequences of calls from several threads on shared objects, closes among them. Whatever happens must be a
 * result or one of the exceptions that the API names; at the end everything must have come back. A sequence is
 * determined by its seed as far as the threads' timing lets it: {@code -Drdma4j.abuse.seed=N} starts with that one.
 */
@Tag("device")
@Timeout(value = 3, unit = TimeUnit.HOURS)
class RandomSequencesDeviceTest {
    private static final int SEQUENCES = Integer.getInteger("rdma4j.abuse.sequences", 60);
    private static final long FIRST_SEED = Long.getLong("rdma4j.abuse.seed", System.nanoTime());
    private static final int THREADS = 3;
    private static final int CALLS_PER_THREAD = 25;
    private static final int BEFORE_COUNTING = 20;

    @Test
    void everyCallEndsInAResultOrANamedException() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            ConnectionManagerState.settle();
            // The JDK opens a socket at the first of these, and keeps it. The explanation of a missing route uses one.
            DatagramChannel.open().close();
            System.out.println("first seed " + FIRST_SEED);
            long seed = FIRST_SEED;
            for (int i = 0; i < BEFORE_COUNTING; i++) {
                runSequence(threads, seed++);
            }
            ProcessCounts before = ProcessCounts.now();
            for (int i = 0; i < SEQUENCES; i++) {
                runSequence(threads, seed++);
            }
            ProcessCounts after = ProcessCounts.now();

            String which =
                    "after the sequences of the seeds %d to %d".formatted(FIRST_SEED + BEFORE_COUNTING, seed - 1);
            assertThat(after.fileDescriptors()).as(which).isEqualTo(before.fileDescriptors());
            assertThat(after.rdmaResources()).as(which).isEqualTo(before.rdmaResources());
        } finally {
            threads.shutdownNow();
        }
        if (Boolean.getBoolean("rdma4j.abuse.report")) {
            new TreeMap<>(World.OUTCOMES).forEach((what, times) -> System.out.printf("%9d  %s%n", times.sum(), what));
        }
        assertThat(World.OUTCOMES.keySet().stream().filter(what -> what.endsWith("-> done")))
                .as("actions that succeeded at least once; if few did, the sequences try nothing")
                .hasSizeGreaterThan(Actions.ALL.size() * 2 / 3);
    }

    private static void runSequence(ExecutorService threads, long seed) throws Exception {
        try (World world = new World()) {
            CyclicBarrier start = new CyclicBarrier(THREADS);
            List<Future<?>> running = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                Random random = new Random(seed * THREADS + t);
                running.add(threads.submit(() -> {
                    start.await();
                    for (int i = 0; i < CALLS_PER_THREAD; i++) {
                        call(world, random, seed);
                    }
                    return null;
                }));
            }
            for (Future<?> future : running) {
                future.get(120, TimeUnit.SECONDS);
            }
        }
    }

    private static void call(World world, Random random, long seed) {
        Actions.Action action = Actions.ALL.get(random.nextInt(Actions.ALL.size()));
        try {
            World.count(action.name(), action.run(world, random) ? "done" : "nothing to do it with");
        } catch (IllegalStateException | IllegalArgumentException | IndexOutOfBoundsException | VerbsException e) {
            World.count(action.name(), e.getClass().getSimpleName());
            if (e.getMessage() == null || e.getMessage().isBlank()) {
                fail("an exception without words from " + action.name() + ", seed " + seed, e);
            }
        } catch (RuntimeException | Error e) {
            throw new AssertionError(action.name() + " threw what the API does not name, seed " + seed, e);
        }
    }
}
