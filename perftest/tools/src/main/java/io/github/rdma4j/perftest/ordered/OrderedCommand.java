// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.ordered;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaUnavailableException;
import io.github.rdma4j.gpudirect.GpuPathUnavailableException;
import io.github.rdma4j.gpudirect.GpuTransferException;
import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.exit.Complaints;
import io.github.rdma4j.perftest.exit.InterruptHook;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.findings.KeptReport;
import io.github.rdma4j.perftest.result.RunState;
import io.github.rdma4j.verbs.VerbsException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/** The command {@code gpu gpu_ordered_lat}: ping-pong of GPUs. docs/gpudirect.md is its manual. */
public final class OrderedCommand {
    /** The name on the command line. */
    public static final String NAME = "gpu_ordered_lat";

    /** The summary in the list of commands. */
    public static final String TITLE = "Measures a ping-pong of GPUs, driven by the host, by streams and by graphs";

    private static final int OK = 0;

    private OrderedCommand() {}

    /**
     * Runs the command.
     *
     * @param arguments after the command's name
     * @param out standard output
     * @param err standard error
     * @return the exit status: 0 for success; 1 if it failed; 2 for a wrong command line; 4 if the JSON document was
     *     not written
     */
    public static int run(List<String> arguments, PrintStream out, PrintStream err) {
        OrderedOptions options = new OrderedOptions();
        Complaints complaints = new Complaints(NAME, "rdma4j gpu " + NAME + " --help", err);
        OptionalInt answered = options.read(arguments, out, complaints);
        if (answered.isPresent()) {
            return answered.getAsInt();
        }
        KeptReport<OrderedReport> kept = new KeptReport<>(report -> options.json()
                .show(NAME, OK, page(options, report), stream -> write(options, report, stream), out, err));
        try (InterruptHook _ = new InterruptHook(
                        () -> kept.broken(report -> report.ended(RunState.INTERRUPTED, InterruptHook.REASON)));
                PingPong game = new PingPong(options);
                PeerLine line = PeerLine.open(options)) {
            return kept.complete(game.play(line, kept), Complaints.FAILED);
        } catch (PerftestException failure) {
            int status = complaints.failed(failure);
            RunState state = failure.peerLost() ? RunState.PEER_LOST : RunState.FAILED;
            kept.broken(report -> report.ended(state, failure.getMessage()));
            return status;
        } catch (CudaException
                | CudaUnavailableException
                | GpuPathUnavailableException
                | IllegalArgumentException
                | IllegalStateException
                | GpuTransferException
                | VerbsException failure) {
            int status = complaints.failed(failure.getMessage());
            kept.broken(report -> report.ended(RunState.FAILED, failure.getMessage()));
            return status;
        }
    }

    private static String page(OrderedOptions options, OrderedReport report) {
        StringBuilder page = new StringBuilder();
        page.append("%s; %s; %s%n".formatted(report.gpu(), report.device(), report.path()));
        page.append("%d rounds of %d bytes, %d bytes of other work in each turn%n%n"
                .formatted(options.rounds(), options.size(), options.work()));
        page.append("  %-8s %14s %22s%n".formatted("way", "t_avg[usec]", "this thread at work"));
        for (OrderedResult each : report.results()) {
            page.append(String.format(
                    Locale.ROOT, "  %-8s %14.2f %20.1f %%%n", each.way(), each.microseconds(), 100 * each.hostShare()));
        }
        if (report.failure() != null) {
            page.append("%nbroken off: %s%n".formatted(report.failure()));
        }
        return page.toString();
    }

    private static void write(OrderedOptions options, OrderedReport report, OutputStream out) throws IOException {
        JsonFactory factory = new JsonFactory().disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
        try (JsonGenerator json =
                factory.createGenerator(out, JsonEncoding.UTF8).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            json.writeStringField("rdma4j", BuildInfo.version());
            json.writeStringField("state", report.state().key());
            if (report.failure() != null) {
                json.writeStringField("failure", report.failure());
            }
            json.writeStringField("gpu", report.gpu());
            json.writeStringField("device", report.device());
            json.writeStringField("path", report.path());
            json.writeNumberField("bytes", options.size());
            json.writeNumberField("rounds", options.rounds());
            json.writeNumberField("work", options.work());
            json.writeArrayFieldStart("results");
            for (OrderedResult each : report.results()) {
                json.writeStartObject();
                json.writeStringField("way", each.way());
                json.writeNumberField("t_avg_usec", each.microseconds());
                json.writeNumberField("host_share", each.hostShare());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
    }
}
