// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;

/** A batch that the storage's threads process. */
final class StagedBatch implements BatchEngine {
    private record Outcome(int number, long bytes, RuntimeException failure) {}

    private final Workers workers;
    private final Queue<Outcome> outcomes = new ArrayDeque<>();
    private long cancelled;
    private long submissions;

    StagedBatch(Workers workers) {
        this.workers = workers;
    }

    @Override
    public void submit(List<BatchEntry> entries) {
        boolean begun = false;
        for (BatchEntry entry : entries) {
            long submission;
            synchronized (outcomes) {
                submission = ++submissions;
            }
            try {
                workers.submit(() -> run(entry, submission));
                begun = true;
            } catch (RuntimeException | Error e) {
                // Also if a thread cannot be started. If earlier transfers are running, they cannot be cancelled.
                if (!begun) {
                    throw e;
                }
                ended(entry, 0, failure(entry, e));
            }
        }
    }

    private static RuntimeException failure(BatchEntry entry, Throwable cause) {
        return cause instanceof RuntimeException failure
                ? failure
                : new IllegalStateException(entry.describe() + " failed", cause);
    }

    private void ended(BatchEntry entry, long bytes, RuntimeException failure) {
        synchronized (outcomes) {
            outcomes.add(new Outcome(entry.number, bytes, failure));
            outcomes.notifyAll();
        }
    }

    private void run(BatchEntry entry, long submission) {
        long bytes = 0;
        RuntimeException failure = null;
        try {
            if (isCancelled(submission)) {
                failure = new CancellationException(entry.describe() + " was cancelled before it began");
            } else {
                bytes = ((StagedFileAccess) entry.file.access())
                        .transferAlone(entry.write, entry.memory, entry.memoryOffset, entry.fileOffset, entry.length);
            }
        } catch (RuntimeException | Error e) {
            failure = failure(entry, e);
        }
        ended(entry, bytes, failure);
    }

    private boolean isCancelled(long submission) {
        synchronized (outcomes) {
            return submission <= cancelled;
        }
    }

    @Override
    public void await(long nanos, Sink sink) {
        synchronized (outcomes) {
            if (outcomes.isEmpty() && nanos > 0) {
                try {
                    TimeUnit.NANOSECONDS.timedWait(outcomes, Math.max(nanos, 1_000_000));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            for (Outcome each = outcomes.poll(); each != null; each = outcomes.poll()) {
                sink.ended(each.number, each.bytes, each.failure);
            }
        }
    }

    @Override
    public void cancel() {
        synchronized (outcomes) {
            cancelled = submissions;
        }
    }

    @Override
    public void close() {}
}
