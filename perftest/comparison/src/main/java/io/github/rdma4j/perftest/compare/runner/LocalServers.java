// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.plan.TcpSetting;
import io.github.rdma4j.perftest.environment.CpuTime;
import io.github.rdma4j.perftest.exit.CompareException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Servers on this machine: Java's in a second JVM, C's as processes. */
public final class LocalServers implements ServerEnd {
    private final JavaServer java;
    private final CTools tools;
    private final TcpTools tcpTools;
    private final TcpSetting tcp;
    private final ChildProcesses children;
    private final ProcessGuard guard;

    /**
     * @param java the second JVM; null if Java is not a server
     * @param tools C's tools
     * @param tcpTools C's programs for plain TCP; null without it
     * @param tcp how plain TCP is run; null without it
     * @param children registers the processes
     * @param guard kills them if this JVM is killed
     */
    public LocalServers(
            JavaServer java,
            CTools tools,
            TcpTools tcpTools,
            TcpSetting tcp,
            ChildProcesses children,
            ProcessGuard guard) {
        this.java = java;
        this.tools = tools;
        this.tcpTools = tcpTools;
        this.tcp = tcp;
        this.children = children;
        this.guard = guard;
    }

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
        if (program != ServerProgram.JAVA && program != ServerProgram.C && tcp == null) {
            throw new CompareException("plain TCP is not part of this comparison", "");
        }
        return switch (program) {
            case JAVA -> {
                java.listen(order, deadline);
                yield new InJava();
            }
            case TCP_JAVA -> {
                java.listen(tcp.run(order), deadline);
                yield new InJava();
            }
            case C -> start(CRunner.title(order), tools.server(order), true, order, deadline);
            case SOCKPERF ->
                start(
                        SockperfRunner.TITLE,
                        SockperfRunner.server(tcpTools.latency(), tcp, order),
                        false,
                        order,
                        deadline);
            case IPERF ->
                start(IperfRunner.TITLE, IperfRunner.server(tcpTools.bandwidth(), tcp, order), true, order, deadline);
        };
    }

    private Serving start(String title, List<String> command, boolean ends, RunOrder order, Deadline deadline) {
        CProcess process = new CProcess(title + " (server)", command, children, guard);
        try {
            process.awaitListening(order.port(), deadline);
            return new InC(process, ends);
        } catch (RuntimeException | Error failure) {
            process.close();
            throw failure;
        }
    }

    private final class InJava implements Serving {
        @Override
        public long finish(Deadline deadline) {
            return java.finish(deadline);
        }

        @Override
        public String complaint() {
            return java.complaint();
        }

        /** The JVM is used for all runs. */
        @Override
        public void close() {}
    }

    /**
     * @param ends whether the server ends with its client; if not, it is killed
     */
    private record InC(CProcess process, boolean ends) implements Serving {
        @Override
        public long finish(Deadline deadline) {
            if (ends) {
                process.await(deadline);
            }
            process.close();
            return 0;
        }

        @Override
        public String complaint() {
            return process.hasFailed() ? process.failed().getMessage() : "";
        }

        @Override
        public CompletableFuture<?> ended() {
            return process.onExit();
        }

        @Override
        public void check() {
            if (process.hasFailed()) {
                throw process.failed();
            }
        }

        @Override
        public void close() {
            process.close();
        }
    }
}
