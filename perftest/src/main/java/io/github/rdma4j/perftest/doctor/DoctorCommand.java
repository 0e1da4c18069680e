// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import io.github.rdma4j.gpudirect.check.CheckReport;
import io.github.rdma4j.gpudirect.check.CheckSources;
import io.github.rdma4j.gpudirect.check.GpuDirectCheck;
import io.github.rdma4j.perftest.doctor.check.Diagnosis;
import io.github.rdma4j.perftest.doctor.check.Doctor;
import io.github.rdma4j.perftest.doctor.check.Outcome;
import io.github.rdma4j.perftest.doctor.gpu.GpuPage;
import io.github.rdma4j.perftest.doctor.machine.DoctorSources;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.pair.MachineFacts;
import io.github.rdma4j.perftest.doctor.pair.PeerMachine;
import io.github.rdma4j.perftest.doctor.pair.PeerReport;
import io.github.rdma4j.perftest.doctor.peer.PeerClient;
import io.github.rdma4j.perftest.doctor.peer.PeerEnd;
import io.github.rdma4j.perftest.doctor.peer.PeerServer;
import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.exit.Complaints;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** The command {@code doctor}: checks RDMA and GPUDirect on a machine, or RDMA between two. See docs/doctor.md. */
public final class DoctorCommand {
    /** The name on the command line. */
    public static final String NAME = "doctor";

    /** The summary in the list of commands. */
    public static final String TITLE = "Checks whether RDMA and GPUDirect work here, and how to fix what does not";

    private static final int OK = 0;
    private static final int TROUBLE = 1;
    private static final int BROKEN = 3;

    private DoctorCommand() {}

    /**
     * Runs the command.
     *
     * @param arguments after the command's name
     * @param out standard output
     * @param err standard error
     * @return the exit status: 0 RDMA works; 1 RDMA works, but something is slow or broken; 2 wrong command line; 3
     *     RDMA does not work; 4 the JSON file could not be written
     */
    public static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return run(arguments, DoctorSources.thisMachine(), out, err);
    }

    /** Runs the command for another machine than this one. */
    static int run(List<String> arguments, DoctorSources sources, PrintStream out, PrintStream err) {
        DoctorOptions options = new DoctorOptions();
        Complaints complaints = new Complaints(NAME, "rdma4j " + NAME + " --help", err);
        OptionalInt answered = options.read(arguments, out, complaints);
        if (answered.isPresent()) {
            return answered.getAsInt();
        }
        if (options.isGpuOnly()) {
            return gpuOnly(options, sources.gpuDirect(), complaints, out, err);
        }
        Machine machine = new Machine(sources);
        Diagnosis diagnosis = Doctor.examine(machine);
        if (options.isAlone()) {
            int status = status(diagnosis.outcome());
            return options.json()
                    .show(
                            NAME,
                            status,
                            DoctorPage.of(diagnosis),
                            stream -> DoctorJson.write(diagnosis, status, stream),
                            out,
                            err);
        }
        PeerReport report = withPeer(options, machine, diagnosis, err);
        int status = status(report.outcome());
        return options.json()
                .show(
                        NAME,
                        status,
                        DoctorPage.of(report),
                        stream -> DoctorJson.write(diagnosis, report, status, stream),
                        out,
                        err);
    }

    private static int gpuOnly(
            DoctorOptions options, CheckSources sources, Complaints complaints, PrintStream out, PrintStream err) {
        List<String> gpus = new ArrayList<>();
        List<String> adapters = new ArrayList<>();
        CheckReport report = GpuDirectCheck.run(
                sources,
                gpu -> {
                    gpus.add(gpu.label().substring("GPU".length()) + " (" + gpu.address() + ")");
                    return options.accepts(gpu);
                },
                adapter -> {
                    adapters.add(adapter.name());
                    return options.device().map(adapter.name()::equals).orElse(true);
                });
        if (options.gpu().isPresent() && report.gpus().isEmpty()) {
            return complaints.usage("--gpu: there is no GPU " + options.gpu().get() + "; " + present(gpus));
        }
        if (options.device().isPresent() && report.adapters().isEmpty()) {
            return complaints.usage(
                    "--device: there is no RDMA device '" + options.device().get() + "'; " + present(adapters));
        }
        Outcome outcome = switch (report.outcome()) {
            case DIRECT -> Outcome.OK;
            case STAGED -> Outcome.TROUBLE;
            case NOTHING -> Outcome.BROKEN;
        };
        int status = status(outcome);
        return options.json()
                .show(
                        NAME,
                        status,
                        GpuPage.of(report, options.showsAllPairs()),
                        stream -> DoctorJson.write(report, outcome, status, stream),
                        out,
                        err);
    }

    private static String present(List<String> names) {
        return names.isEmpty() ? "there is none at all" : "present: " + String.join(", ", names);
    }

    private static PeerReport withPeer(DoctorOptions options, Machine machine, Diagnosis diagnosis, PrintStream err) {
        PeerMachine told =
                MachineFacts.of(machine, diagnosis, BuildInfo.version(), options.device(), options.gidIndex());
        PeerEnd me = PeerEnd.of(
                told,
                machine,
                options.device().isPresent() || options.gidIndex().isPresent());
        return options.peer()
                .map(address -> PeerClient.test(me, address, options.limit(), options.load()))
                .orElseGet(() ->
                        PeerServer.serve(me, options.port(), options.limit(), line -> err.println(NAME + ": " + line)));
    }

    private static int status(Outcome outcome) {
        return switch (outcome) {
            case OK -> OK;
            case TROUBLE -> TROUBLE;
            case BROKEN -> BROKEN;
        };
    }
}
