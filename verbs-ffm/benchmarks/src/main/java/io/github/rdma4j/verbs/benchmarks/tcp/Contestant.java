// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks.tcp;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Connections on which transfers run until it is closed. */
abstract class Contestant implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 10_000;

    final TcpCase what;
    private final List<Thread> threads = new ArrayList<>();
    private final List<AtomicLong> counters = new ArrayList<>();
    volatile boolean stopped;
    private volatile Throwable failure;

    Contestant(TcpCase what) {
        this.what = what;
    }

    /** Opens the contestant. */
    interface Opener {
        Contestant open(TcpCase what) throws Exception;
    }

    /** The work of a thread. */
    interface Task {
        void run() throws Exception;
    }

    /** A counter of transfers, which one thread counts up. */
    final AtomicLong counter() {
        AtomicLong counter = new AtomicLong();
        counters.add(counter);
        return counter;
    }

    static void count(AtomicLong counter) {
        counter.setOpaque(counter.getPlain() + 1);
    }

    final void start(Task task) {
        threads.add(what.threads().start(() -> {
            try {
                task.run();
            } catch (Throwable e) {
                fail(e);
            }
        }));
    }

    final void fail(Throwable e) {
        if (!stopped) {
            failure = e;
        }
    }

    /** How many transfers are done. */
    final long done() {
        if (failure != null) {
            throw new IllegalStateException(what + " failed", failure);
        }
        return counters.stream().mapToLong(AtomicLong::getOpaque).sum();
    }

    /** Transfers per second, after a warm-up of half the time. */
    final double rate(long millis) throws InterruptedException {
        Thread.sleep(millis / 2);
        long before = done();
        long start = System.nanoTime();
        Thread.sleep(millis);
        return (done() - before) * 1e9 / (System.nanoTime() - start);
    }

    /** Ends the connections, so that no thread waits any more. */
    abstract void end() throws IOException;

    @Override
    public void close() throws IOException {
        stopped = true;
        end();
        try {
            for (Thread thread : threads) {
                thread.join(PATIENCE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
