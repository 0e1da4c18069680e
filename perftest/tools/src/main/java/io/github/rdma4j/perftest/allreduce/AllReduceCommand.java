// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaUnavailableException;
import io.github.rdma4j.gpudirect.nccl.NcclException;
import io.github.rdma4j.perftest.allreduce.choice.Prediction;
import io.github.rdma4j.perftest.exit.Complaints;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.InterruptHook;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.findings.KeptReport;
import io.github.rdma4j.perftest.result.RunState;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.OptionalInt;

/** The command {@code gpu nccl_allreduce_bw}. docs/nccl.md is its manual. */
public final class AllReduceCommand {
    /** The name on the command line. */
    public static final String NAME = "nccl_allreduce_bw";

    /** The summary in the list of commands. */
    public static final String TITLE = "Measures all-reduce of GPUs with NCCL, and shows what NCCL chose";

    private static final int OK = 0;
    private static final int WRONG = 1;

    private AllReduceCommand() {}

    /**
     * Runs the command. Only rank 0 prints and writes a document.
     *
     * @param arguments after the command's name
     * @param main the main class of the processes that this one starts
     * @param prediction of NCCL's choices
     * @param out standard output
     * @param err standard error
     * @return the exit status: 0 for success; 1 if it failed or values were wrong; 2 for a wrong command line; 4 if the
     *     JSON document was not written
     */
    public static int run(
            List<String> arguments, Class<?> main, Prediction prediction, PrintStream out, PrintStream err) {
        AllReduceOptions options = new AllReduceOptions();
        Complaints complaints = new Complaints(NAME, "rdma4j gpu " + NAME + " --help", err);
        OptionalInt answered = options.read(arguments, out, complaints);
        if (answered.isPresent()) {
            return answered.getAsInt();
        }
        KeptReport<AllReduceReport> kept = new KeptReport<>(report -> show(options, report, complaints, out, err));
        try (InterruptHook _ = new InterruptHook(
                () -> kept.broken(report -> report.ended(RunState.INTERRUPTED, InterruptHook.REASON)))) {
            return kept.complete(AllReduceRun.run(options, arguments, main, prediction, kept), Complaints.FAILED);
        } catch (IllegalParameterException failure) {
            return complaints.usage(failure);
        } catch (PerftestException failure) {
            int status = complaints.failed(failure);
            RunState state = failure.peerLost() ? RunState.PEER_LOST : RunState.FAILED;
            kept.broken(report -> report.ended(state, failure.getMessage()));
            return status;
        } catch (NcclException
                | CudaException
                | CudaUnavailableException
                | UnsupportedOperationException
                | IllegalArgumentException
                | IllegalStateException
                | UncheckedIOException failure) {
            int status = complaints.failed(failure.getMessage());
            kept.broken(report -> report.ended(RunState.FAILED, failure.getMessage()));
            return status;
        }
    }

    private static int show(
            AllReduceOptions options, AllReduceReport report, Complaints complaints, PrintStream out, PrintStream err) {
        int status = report.wrong() == 0 ? OK : WRONG;
        if (options.launch().rank() > 0) {
            return status;
        }
        if (status == WRONG) {
            complaints.failed(
                    "%d values of %d are wrong".formatted(report.wrong(), report.compared()),
                    "look at the counters of the GPUs' links and memory, and try another version of NCCL");
        }
        return options.json()
                .show(
                        NAME,
                        status,
                        AllReducePage.of(report),
                        stream -> AllReduceDocument.of(report, options).write(stream),
                        out,
                        err);
    }
}
