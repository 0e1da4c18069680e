// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.environment.CpuTime;
import io.github.rdma4j.perftest.result.RunListener;
import io.github.rdma4j.perftest.run.ToolRun;
import io.github.rdma4j.perftest.tcp.TcpParameters;
import io.github.rdma4j.perftest.tcp.TcpRun;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The JVM that is the server of the Java runs. It ends at the end of its {@link ChildOrders}. It also guards the C
 * processes of the other runs, in case their parent is killed.
 */
final class JavaServerMain {
    /** Answer: the client can connect. */
    static final String LISTENING = "listening";

    /** Answer, with the CPU time that this process has used for it, of {@link CpuTime}: the run is over. */
    static final String DONE = "done";

    /** Order, with a {@link RunOrder}: be the server of this run. */
    static final String SERVE = "serve ";

    /** Order, with a {@link TcpParameters}: be the server of this run. */
    static final String SERVE_TCP = "tcp ";

    /** Order, with a process id: kill that process if the orders end. */
    static final String GUARD = "guard ";

    /** Order, with a process id: that process has ended. */
    static final String RELEASE = "release ";

    private final ChildOrders orders = new ChildOrders();
    private final Set<ProcessHandle> guarded = ConcurrentHashMap.newKeySet();

    private JavaServerMain() {}

    /** Reads orders until the end of the input, and then ends the JVM at once, even in the middle of a run. */
    public static void main(String[] arguments) {
        JavaServerMain server = new JavaServerMain();
        server.orders.obeyAll(server::obey, () -> server.guarded.forEach(ProcessHandle::destroyForcibly));
    }

    private void obey(String order) {
        if (order.startsWith(SERVE)) {
            RunOrder run = RunOrder.decode(order.substring(SERVE.length()));
            start(
                    run.warmUp(),
                    () -> ToolRun.run(run.serverParameters(), new RunListener() {
                        @Override
                        public void waiting(int port) {
                            orders.answer(LISTENING);
                        }
                    }));
        } else if (order.startsWith(SERVE_TCP)) {
            TcpParameters run = TcpParameters.decode(order.substring(SERVE_TCP.length()));
            start(run.warmUp(), () -> TcpRun.serve(run, () -> orders.answer(LISTENING)));
        } else if (order.startsWith(GUARD)) {
            // The handle includes the start time of the process, so it never matches a later process.
            ProcessHandle.of(pid(order, GUARD)).ifPresent(guarded::add);
        } else if (order.startsWith(RELEASE)) {
            long pid = pid(order, RELEASE);
            guarded.removeIf(process -> process.pid() == pid);
        }
    }

    private static long pid(String order, String word) {
        return Long.parseLong(order.substring(word.length()));
    }

    /** Runs in another thread, because this one must notice the end of the orders in the middle of a run. */
    private void start(boolean compiled, Runnable run) {
        Thread.ofPlatform().daemon().name("rdma4j-server").start(() -> serve(compiled, run));
    }

    /**
     * @param compiled whether to wait until the compilers are idle, so that none of them disturbs the next run
     */
    private void serve(boolean compiled, Runnable run) {
        try {
            long before = CpuTime.ofThisProcess();
            run.run();
            long used = CpuTime.between(before, CpuTime.ofThisProcess());
            if (compiled) {
                QuietCompilers.await();
            }
            orders.answer(DONE + " " + used);
        } catch (RuntimeException | Error failure) {
            orders.answerFailure(JavaRunner.reason(failure), "");
        }
    }
}
