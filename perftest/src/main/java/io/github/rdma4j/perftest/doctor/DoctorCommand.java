// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import io.github.rdma4j.perftest.doctor.check.Diagnosis;
import io.github.rdma4j.perftest.doctor.check.Doctor;
import io.github.rdma4j.perftest.doctor.check.Outcome;
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
import java.util.List;
import java.util.OptionalInt;

/** The command {@code doctor}: what of RDMA works on a machine, or between two. docs/doctor.md is its manual. */
public final class DoctorCommand {
    /** The name on the command line. */
    public static final String NAME = "doctor";

    /** What it does, in a line. */
    public static final String TITLE = "What of RDMA works here, in the order in which it would fail";

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
     * @return the exit status: 0 all is well; 1 RDMA can be used, and something is slow or a part is broken; 2 the
     *     command line makes no sense; 3 RDMA cannot be used; 4 the JSON file could not be written
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
