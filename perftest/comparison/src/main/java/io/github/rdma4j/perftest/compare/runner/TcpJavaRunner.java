// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.plan.Kind;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.plan.TcpSetting;
import io.github.rdma4j.perftest.compare.result.Implementation;
import io.github.rdma4j.perftest.compare.result.Measurement;
import io.github.rdma4j.perftest.compare.result.ToolOutput;
import io.github.rdma4j.perftest.environment.CpuTime;
import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.tcp.TcpParameters;
import io.github.rdma4j.perftest.tcp.TcpRun;

/** Runs Java's test over plain TCP: this JVM is the client. */
public final class TcpJavaRunner implements Runner {
    /** Larger messages do not fit into a buffer. */
    private static final long MOST_BYTES = 1 << 30;

    private final ServerEnd end;
    private final TcpSetting setting;

    /**
     * @param end where the server is
     * @param setting where and how
     */
    public TcpJavaRunner(ServerEnd end, TcpSetting setting) {
        this.end = end;
        this.setting = setting;
    }

    @Override
    public boolean canRun(RunOrder order) {
        return order.size() <= MOST_BYTES;
    }

    @Override
    public Measurement run(RunOrder order) {
        TcpParameters run = setting.run(order);
        Deadline deadline = order.deadline();
        long before = CpuTime.ofThisProcess();
        try (Serving server = end.serve(ServerProgram.TCP_JAVA, order, deadline)) {
            long[] times = TcpRun.measure(run);
            long used = CpuTime.between(before, CpuTime.ofThisProcess());
            long serverUsed = server.finish(deadline);
            return measurement(run, order.kind(), times)
                    .using(order.kind().messages(run.iterations()), CpuTime.sum(used, serverUsed));
        }
    }

    private static Measurement measurement(TcpParameters run, Kind kind, long[] times) {
        if (!run.latency()) {
            return Measurement.of(Implementation.TCP_JAVA, ToolOutput.of(TcpFigures.of(run, times[1] - times[0])));
        }
        LatencyFigures latency = TcpFigures.latency(times, kind.parts());
        return Measurement.of(Implementation.TCP_JAVA, ToolOutput.of(TcpFigures.of(run, latency)))
                .with(latency);
    }
}
