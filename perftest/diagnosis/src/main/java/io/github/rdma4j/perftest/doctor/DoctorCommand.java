// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import io.github.rdma4j.perftest.doctor.check.Diagnosis;
import io.github.rdma4j.perftest.doctor.check.Doctor;
import io.github.rdma4j.perftest.doctor.check.Outcome;
import io.github.rdma4j.perftest.doctor.machine.CheckedGpu;
import io.github.rdma4j.perftest.doctor.machine.DoctorSources;
import io.github.rdma4j.perftest.doctor.machine.GpuReader;
import io.github.rdma4j.perftest.doctor.machine.GpuReport;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import io.github.rdma4j.perftest.doctor.pair.MachineFacts;
import io.github.rdma4j.perftest.doctor.pair.PeerMachine;
import io.github.rdma4j.perftest.doctor.pair.PeerReport;
import io.github.rdma4j.perftest.doctor.peer.PeerClient;
import io.github.rdma4j.perftest.doctor.peer.PeerEnd;
import io.github.rdma4j.perftest.doctor.peer.PeerServer;
import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.exit.Complaints;
import java.io.PrintStream;
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
     * @return the exit status: 0 it works; 1 it works, but something is slow or broken; 2 wrong command line; 3 it does
     *     not work; 4 the JSON file could not be written
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
        Machine machine = new Machine(sources);
        if (options.isGpuOnly()) {
            return gpuOnly(options, machine, complaints, out, err);
        }
        Diagnosis diagnosis = Doctor.examine(machine);
        if (options.isAlone()) {
            return show(options, diagnosis, out, err);
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
            DoctorOptions options, Machine machine, Complaints complaints, PrintStream out, PrintStream err) {
        GpuReader reader = new GpuReader(machine);
        List<CheckedGpu> gpus = reader.gpus().stream().filter(options::accepts).toList();
        List<RdmaDevice> adapters = machine.devices().stream()
                .filter(adapter -> options.device().map(adapter.name()::equals).orElse(true))
                .toList();
        if (options.gpu().isPresent() && gpus.isEmpty()) {
            List<String> names = reader.gpus().stream()
                    .map(gpu -> gpu.index() + " (" + gpu.address() + ")")
                    .toList();
            return complaints.usage("--gpu: there is no GPU " + options.gpu().get() + "; " + present(names));
        }
        if (options.device().isPresent() && adapters.isEmpty()) {
            List<String> names =
                    machine.devices().stream().map(RdmaDevice::name).toList();
            return complaints.usage(
                    "--device: there is no RDMA device '" + options.device().get() + "'; " + present(names));
        }
        GpuReport report = reader.report(gpus, adapters);
        return show(options, Doctor.examineGpus(machine, report, options.showsAllPairs()), out, err);
    }

    private static int show(DoctorOptions options, Diagnosis diagnosis, PrintStream out, PrintStream err) {
        int status = status(diagnosis.outcome());
        return options.json()
                .show(
                        NAME,
                        status,
                        DoctorPage.of(diagnosis, options.showsAllPairs()),
                        stream -> DoctorJson.write(diagnosis, status, stream),
                        out,
                        err);
    }

    private static String present(List<String> names) {
        return names.isEmpty() ? "this machine has none" : "present: " + String.join(", ", names);
    }

    private static PeerReport withPeer(DoctorOptions options, Machine machine, Diagnosis diagnosis, PrintStream err) {
        PeerMachine here =
                MachineFacts.of(machine, diagnosis, BuildInfo.version(), options.device(), options.gidIndex());
        PeerEnd me = PeerEnd.of(
                here,
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
