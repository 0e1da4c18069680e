// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaEvent;
import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.gpudirect.internal.Undo;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The close of one communicator: waits for the work in its streams, then finalizes and destroys it, all within one
 * timeout. If the timeout passes, it is aborted.
 */
final class Closing {
    private final NcclCommunicator communicator;
    private final Connection connection;
    private final CudaContext context;
    private final Duration limit;
    private final long start = System.nanoTime();
    private final List<Throwable> failures = new ArrayList<>();

    Closing(NcclCommunicator communicator, Connection connection, CudaContext context, Duration limit) {
        this.communicator = communicator;
        this.connection = connection;
        this.context = context;
        this.limit = limit;
    }

    private Duration left() {
        long left = Timeouts.checkedNanos(limit) - (System.nanoTime() - start);
        return Duration.ofNanos(Math.max(left, 0));
    }

    void run(List<AutoCloseable> parts, List<CudaStream> streams, boolean revoked) {
        if (!connection.tryLock(limit)) {
            failures.add(new NcclTimeoutException(
                    "closing %s, which was aborted because a call of another thread did not end,"
                            .formatted(communicator),
                    limit));
            abort(parts);
            throwFirst();
            return;
        }
        try {
            if (!connection.isAborted() && awaitCreation()) {
                end(parts, streams, revoked);
            }
        } finally {
            connection.unlock();
        }
        throwFirst();
    }

    /**
     * Waits until a communicator that is being created exists. At the timeout it is aborted, which destroys it once
     * NCCL has created it.
     */
    private boolean awaitCreation() {
        if (!Limits.await(() -> !connection.isBeingCreated(), left())) {
            failures.add(new NcclTimeoutException(
                    "closing %s, which was aborted before it had been created,".formatted(communicator), limit));
            connection.abort();
            return false;
        }
        return connection.isOpen();
    }

    private void end(List<AutoCloseable> parts, List<CudaStream> streams, boolean revoked) {
        boolean done = false;
        try {
            if (isHealthy()) {
                connection.settle(() -> "the last call of " + communicator, left());
                awaitStreams(streams);
                closeParts(parts);
                if (!revoked && connection.library.has(NcclFunction.COMM_FINALIZE)) {
                    finish();
                }
                connection.destroy();
                done = true;
            }
        } catch (NcclException | CudaException e) {
            failures.add(e);
        } catch (IllegalStateException e) {
            // If it was aborted, another thread ended it meanwhile.
            done = connection.isAborted();
            if (!done) {
                failures.add(e);
            }
        } finally {
            if (!done && connection.isOpen()) {
                abort(parts);
            }
        }
    }

    /** A communicator that has failed is aborted, which is not a failure of the close. */
    private boolean isHealthy() {
        int state = connection.state();
        return state == NcclStatus.SUCCESS.number() || state == NcclStatus.IN_PROGRESS.number();
    }

    private void abort(List<AutoCloseable> parts) {
        try {
            connection.abort();
        } catch (RuntimeException e) {
            failures.add(e);
        }
        closeParts(parts);
    }

    /** Uses events, because querying the stream would consume the exceptions of callbacks. */
    private void awaitStreams(List<CudaStream> streams) {
        List<CudaEvent> ends = new ArrayList<>();
        try {
            for (CudaStream stream : streams) {
                CudaEvent end = context.createEvent();
                ends.add(end);
                try {
                    end.record(stream);
                } catch (IllegalStateException e) {
                    // The stream was closed meanwhile: ncclCommFinalize waits for its work.
                    continue;
                }
            }
            boolean over = Limits.await(
                    () -> {
                        if (!isHealthy()) {
                            connection.library.check(connection.state(), "work of " + communicator, 0);
                        }
                        return ends.stream().allMatch(CudaEvent::isDone);
                    },
                    left());
            if (!over) {
                throw new NcclTimeoutException(
                        "closing %s, which was aborted because the work in its streams did not end,"
                                .formatted(communicator),
                        limit);
            }
        } catch (RuntimeException e) {
            Undo.after(e, ends.toArray(AutoCloseable[]::new));
            throw e;
        }
        closeParts(ends);
    }

    /** Calls ncclCommFinalize. In blocking mode it blocks without a timeout, so another thread calls it. */
    private void finish() {
        if (connection.mode != NcclMode.BLOCKING) {
            int result = callFinalize();
            if (result != NcclStatus.IN_PROGRESS.number()) {
                connection.library.check(result, "ncclCommFinalize()", connection.handle());
            }
            connection.settle(() -> "ncclCommFinalize() of " + communicator, left());
            return;
        }
        CompletableFuture<Integer> result = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("rdma4j-nccl-finalize").start(() -> {
            try {
                result.complete(callFinalize());
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
        if (!Limits.await(result::isDone, left())) {
            throw new NcclTimeoutException("ncclCommFinalize() of " + communicator, limit);
        }
        connection.library.check(outcome(result), "ncclCommFinalize()", connection.handle());
    }

    private static int outcome(CompletableFuture<Integer> result) {
        try {
            return result.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private int callFinalize() {
        context.makeCurrentForCall();
        return connection.library.calls().call(NcclFunction.COMM_FINALIZE, connection.handle());
    }

    /** The parts of an aborted communicator need no call of NCCL: closing them only marks them as closed. */
    void closeParts(List<? extends AutoCloseable> parts) {
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (RuntimeException | Error e) {
                failures.add(e);
            } catch (Exception e) {
                failures.add(new IllegalStateException(e));
            }
        }
    }

    private void throwFirst() {
        if (!failures.isEmpty()) {
            Throwable first = failures.removeFirst();
            failures.stream().filter(each -> each != first).forEach(first::addSuppressed);
            if (first instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) first;
        }
    }
}
