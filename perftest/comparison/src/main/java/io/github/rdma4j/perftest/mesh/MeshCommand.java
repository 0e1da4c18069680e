// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import io.github.rdma4j.perftest.compare.peer.Member;
import io.github.rdma4j.perftest.compare.peer.Rendezvous;
import io.github.rdma4j.perftest.compare.plan.JsonTarget;
import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.exit.Complaints;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.InterruptHook;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.findings.JsonOption;
import io.github.rdma4j.perftest.findings.KeptReport;
import io.github.rdma4j.perftest.options.Ranges;
import io.github.rdma4j.perftest.result.RunState;
import io.github.rdma4j.perftest.talk.PeerAddress;
import io.github.rdma4j.verbs.VerbsException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.InvalidPathException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * The command {@code mesh}: measures all pairs of the hosts of a job. Each host runs it; rank 0 directs the others.
 * docs/compare.md is its manual.
 */
public final class MeshCommand {
    /** The name on the command line. */
    public static final String NAME = "mesh";

    /** The summary in the list of commands. */
    public static final String TITLE = "Measures all pairs of hosts, and names slow hosts and links";

    /** The exit status if the report names a host or a link. */
    static final int FOUND = 3;

    private static final int OK = 0;

    private final MeshOptions options = new MeshOptions();
    private final PrintStream out;
    private final PrintStream err;
    private final Complaints complaints;

    private MeshCommand(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
        complaints = new Complaints(NAME, "rdma4j mesh --help", err);
    }

    /**
     * Runs the command.
     *
     * @param arguments after the command's name
     * @param out standard output
     * @param err standard error
     * @return the exit status: 0 done; 1 it failed; 2 wrong command line; 3 the report names a host or a link
     */
    public static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return new MeshCommand(out, err).run(arguments);
    }

    private int run(List<String> arguments) {
        try {
            Ranges.parse(new CommandLine(options).setOverwrittenOptionsAllowed(true), arguments);
            if (options.wantsHelp()) {
                CommandLine.usage(options, out);
                return OK;
            }
            MeshPlan plan = options.plan();
            JsonTarget json = options.json();
            Job job = options.job(System.getenv(), Job::isThisMachine);
            return job.rank() == 0 ? direct(job, plan, json) : follow(job, plan);
        } catch (ParameterException | IllegalParameterException | InvalidPathException failure) {
            return complaints.usage(failure);
        } catch (PerftestException failure) {
            return InterruptHook.isJvmEnding() ? Complaints.FAILED : complaints.failed(failure);
        } catch (VerbsException failure) {
            // Its message contains the remedy.
            return complaints.failed(failure.getMessage());
        }
    }

    private int follow(Job job, MeshPlan plan) {
        member(job).serve(job.server(), plan.arrival(), address -> MeshHost.of(options.ownPort(), plan, address));
        return OK;
    }

    private static Member member(Job job) {
        return new Member(job.id(), job.rank(), Environment.hostName());
    }

    private int direct(Job job, MeshPlan plan, JsonTarget json) {
        try (MeshProgress progress = new MeshProgress(err);
                Rendezvous rendezvous = new Rendezvous(
                        job.server().port(), job.id(), job.hosts().size(), plan.patience(), progress::line);
                MeshSession session = new MeshSession(job, plan, progress)) {
            takePart(job, plan, rendezvous.port());
            session.meet(rendezvous);
            AtomicReference<Function<MeshResult, List<MeshFinding>>> judged = new AtomicReference<>(Judgement::of);
            KeptReport<MeshResult> kept =
                    new KeptReport<>(result -> show(result, judged.get().apply(result), json));
            kept.begin(() -> Optional.of(session.result(RunState.INTERRUPTED)));
            try (InterruptHook _ = new InterruptHook(() -> {
                session.abort(InterruptHook.REASON);
                kept.broken(result -> result);
            })) {
                session.measure();
                MeshResult first = session.result(RunState.COMPLETE);
                session.confirm(Judgement.suspects(first));
                judged.set(result -> Judgement.of(first, result));
            }
            return kept.complete(session.result(RunState.COMPLETE), Complaints.FAILED);
        }
    }

    /** Rank 0's own part; its failure is in the report. */
    private void takePart(Job job, MeshPlan plan, int port) {
        Thread.ofPlatform().daemon().name("rdma4j-mesh-host").start(() -> {
            try {
                PeerAddress here =
                        new PeerAddress(InetAddress.getLoopbackAddress().getHostAddress(), port);
                member(job)
                        .serve(
                                here,
                                plan.arrival(),
                                loopback -> MeshHost.of(options.ownPort(), plan, address(job, loopback)));
            } catch (PerftestException | VerbsException _) {
                // The other end of the connection reports it.
            }
        });
    }

    /** Returns the address by which the others reach this machine, if it is known. */
    private static InetAddress address(Job job, InetAddress otherwise) {
        try {
            for (InetAddress each : InetAddress.getAllByName(job.server().host())) {
                if (!each.isLoopbackAddress() && NetworkInterface.getByInetAddress(each) != null) {
                    return each;
                }
            }
        } catch (IOException _) {
            // The others may know the name.
        }
        return otherwise;
    }

    private int show(MeshResult result, List<MeshFinding> findings, JsonTarget json) {
        (json.isOutput() ? err : out).print(MeshReport.of(result, findings));
        try {
            if (json.isOutput()) {
                MeshJson.write(result, findings, out);
            } else if (json.file() != null) {
                JsonOption.write(json.file(), file -> MeshJson.write(result, findings, file));
            }
        } catch (IOException failure) {
            return complaints.unwritten(failure);
        }
        return findings.isEmpty() ? OK : FOUND;
    }
}
