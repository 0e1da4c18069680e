// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.result.Implementation;
import io.github.rdma4j.perftest.compare.result.Measurement;
import io.github.rdma4j.perftest.compare.result.ToolOutput;
import io.github.rdma4j.perftest.environment.CpuTime;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.print.ResultTable;
import io.github.rdma4j.perftest.result.BandwidthResult;
import io.github.rdma4j.perftest.result.LatencyResult;
import io.github.rdma4j.perftest.result.RunInfo;
import io.github.rdma4j.perftest.result.RunListener;
import io.github.rdma4j.perftest.result.RunOutcome;
import io.github.rdma4j.perftest.result.Settings;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.run.ToolRun;
import io.github.rdma4j.verbs.VerbsException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/** Runs the Java tool: this JVM is the client. */
public final class JavaRunner implements Runner {
    private final ServerEnd end;

    /** Creates a runner with the server at an end. */
    public JavaRunner(ServerEnd end) {
        this.end = end;
    }

    @Override
    public Measurement run(RunOrder order) {
        Deadline deadline = order.deadline();
        long before = CpuTime.ofThisProcess();
        try (Serving server = end.serve(ServerProgram.JAVA, order, deadline)) {
            return run(order, server, before, deadline);
        }
    }

    private Measurement run(RunOrder order, Serving server, long before, Deadline deadline) {
        CompletableFuture<Measurement> client = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("rdma4j-client").start(() -> {
            try {
                client.complete(measure(order));
            } catch (RuntimeException | Error failure) {
                client.completeExceptionally(failure);
            }
        });
        Measurement measurement = await(client, order, server, deadline);
        long used = CpuTime.between(before, CpuTime.ofThisProcess());
        return measurement.using(order.messages(), CpuTime.sum(used, server.finish(deadline)));
    }

    /** Waits for the client, which would wait for a failed server. */
    static Measurement await(CompletableFuture<Measurement> client, RunOrder order, Serving server, Deadline deadline) {
        String what = "Java's " + order.tool().command();
        try {
            CompletableFuture.anyOf(client, server.ended()).get(deadline.remainingNanoseconds(), TimeUnit.NANOSECONDS);
            if (!client.isDone()) {
                server.check();
            }
            return client.get(deadline.remainingNanoseconds(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            throw new CompareException(
                    what + " did not end within " + order.timeoutSeconds() + " s (--timeout)", "give it more time");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new CompareException(what + " was interrupted", "");
        } catch (ExecutionException failure) {
            throw explain(what, failure.getCause(), server.complaint());
        }
    }

    /** @param complaint of its server, in words; may be empty */
    static CompareException explain(String what, Throwable cause, String complaint) {
        String remedy = cause instanceof PerftestException known ? known.remedy() : "";
        return new CompareException(
                what + ": " + reason(cause) + (complaint.isEmpty() ? "" : "; its server: " + complaint), remedy, cause);
    }

    /** Returns why a run failed; the class of an exception only if the exception is unexpected. */
    static String reason(Throwable cause) {
        return switch (cause) {
            // The last one: the device does not support the run.
            case PerftestException _, VerbsException _, IllegalParameterException _ -> cause.getMessage();
            default -> cause.toString();
        };
    }

    private Measurement measure(RunOrder order) {
        AtomicReference<RunInfo> agreed = new AtomicReference<>();
        RunOutcome outcome = ToolRun.run(order.clientParameters(end.host()), new RunListener() {
            @Override
            public void agreed(RunInfo info) {
                agreed.set(info);
            }
        });
        SizeResult result = outcome.results().getLast();
        Measurement measurement = Measurement.of(Implementation.JAVA, output(agreed.get(), result));
        return result instanceof LatencyResult samples ? measurement.with(samples.latency()) : measurement;
    }

    /**
     * Returns the tool's output. It is formatted after the run: formatting is much code, whose compilation during the
     * measured loop would affect the figures on a machine with only one CPU.
     */
    static ToolOutput output(RunInfo info, SizeResult result) {
        Map<String, String> settings = Settings.of(info);
        settings.putAll(Settings.ofOurs(info));
        return new ToolOutput(
                settings,
                ResultTable.heading(info.parameters()).stripTrailing(),
                ResultTable.row(result).stripTrailing(),
                figures(result));
    }

    /** Returns the columns of the table, before rounding. */
    public static Map<String, Double> figures(SizeResult result) {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("bytes", (double) result.size());
        figures.put("iterations", (double) result.iterations());
        if (result instanceof LatencyResult latency) {
            figures.put("t_min", latency.minimum());
            figures.put("t_max", latency.maximum());
            figures.put("t_typical", latency.typical());
            figures.put("t_avg", latency.average());
            figures.put("t_stdev", latency.deviation());
            figures.put("percentile_99", latency.percentile99());
            figures.put("percentile_99.9", latency.percentile999());
        } else if (result instanceof BandwidthResult bandwidth) {
            figures.put("BW_peak", bandwidth.peak());
            figures.put("BW_average", bandwidth.average());
            figures.put("MsgRate", bandwidth.messageRate());
        }
        return figures;
    }
}
