// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.environment.CpuTime;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.result.RunListener;
import io.github.rdma4j.perftest.run.ToolRun;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Servers of the Java tools in threads of this JVM, for clients on other machines. A server whose client never comes
 * ends with its own timeout.
 */
public final class ThreadServers implements ServerEnd {
    @Override
    public String host() {
        return RunOrder.HOST;
    }

    @Override
    public int freePort() {
        return ListeningPorts.free();
    }

    @Override
    public long busy() {
        return CpuTime.ofTheMachine();
    }

    @Override
    public Serving serve(ServerProgram program, RunOrder order, Deadline deadline) {
        if (program != ServerProgram.JAVA) {
            throw new CompareException("only Java's tools run here", "");
        }
        CompletableFuture<Void> listening = new CompletableFuture<>();
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("rdma4j-server").start(() -> {
            try {
                ToolRun.run(order.serverParameters(), new RunListener() {
                    @Override
                    public void waiting(int port) {
                        listening.complete(null);
                    }
                });
                end.complete(null);
            } catch (RuntimeException | Error failure) {
                listening.completeExceptionally(failure);
                end.completeExceptionally(failure);
            }
        });
        await(listening, order, deadline);
        return new InThread(end, order);
    }

    private static void await(CompletableFuture<Void> event, RunOrder order, Deadline deadline) {
        String what = "the server of " + order.tool().command();
        try {
            event.get(deadline.remainingNanoseconds(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            throw new CompareException(what + " was not done in time", "give it more time: --timeout");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new CompareException(what + " was interrupted", "");
        } catch (ExecutionException failure) {
            throw JavaRunner.explain(what, failure.getCause(), "");
        }
    }

    private record InThread(CompletableFuture<Void> end, RunOrder order) implements Serving {
        /** The process is also busy with other work, so its CPU time means nothing here. */
        @Override
        public long finish(Deadline deadline) {
            await(end, order, deadline);
            return CpuTime.UNKNOWN;
        }

        @Override
        public String complaint() {
            try {
                end.get(1, TimeUnit.SECONDS);
                return "";
            } catch (TimeoutException _) {
                return "";
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return "";
            } catch (ExecutionException failure) {
                return JavaRunner.reason(failure.getCause());
            }
        }

        @Override
        public CompletableFuture<?> ended() {
            return end;
        }

        @Override
        public void close() {}
    }
}
