// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict;

import io.github.rdma4j.perftest.doctor.machine.DoctorSources;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.exit.Complaints;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.predict.machine.Calibration;
import io.github.rdma4j.perftest.predict.machine.DescribedMachines;
import io.github.rdma4j.perftest.predict.machine.MachineReader;
import io.github.rdma4j.perftest.predict.model.DataPath;
import io.github.rdma4j.perftest.predict.model.MachineModel;
import io.github.rdma4j.perftest.predict.model.PathKind;
import io.github.rdma4j.perftest.predict.model.Paths;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** The command {@code predict}: predicts what the data paths of a machine can reach. docs/predict.md is its manual. */
public final class PredictCommand {
    /** The name on the command line. */
    public static final String NAME = "predict";

    /** The summary in the list of commands. */
    public static final String TITLE = "Predicts the bandwidth of a machine's data paths, and what limits them";

    private static final int OK = 0;

    private PredictCommand() {}

    /**
     * Runs the command.
     *
     * @param arguments after the command's name
     * @param out standard output
     * @param err standard error
     * @return the exit status: 0 for success; 1 if there is nothing to predict for, or a file cannot be used; 2 for a
     *     wrong command line; 4 if the JSON file was not written
     */
    public static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return run(arguments, DoctorSources.thisMachine(), out, err);
    }

    /** Runs the command for another machine than this one. */
    static int run(List<String> arguments, DoctorSources sources, PrintStream out, PrintStream err) {
        PredictOptions options = new PredictOptions();
        Complaints complaints = new Complaints(NAME, "rdma4j " + NAME + " --help", err);
        OptionalInt answered = options.read(arguments, out, complaints);
        if (answered.isPresent()) {
            return answered.getAsInt();
        }
        if (options.wantsMachines()) {
            DescribedMachines.NAMES.forEach(name ->
                    out.printf("%-18s %s%n", name, DescribedMachines.of(name).name()));
            return OK;
        }
        try {
            return options.calibrate().isEmpty() ? predict(options, sources, out, err) : calibrate(options, out, err);
        } catch (PerftestException failure) {
            return complaints.failed(failure);
        }
    }

    private static int predict(PredictOptions options, DoctorSources sources, PrintStream out, PrintStream err) {
        MachineModel machine = options.machine()
                .map(DescribedMachines::of)
                .orElseGet(() -> MachineReader.read(new Machine(sources), options.device()));
        List<DataPath> paths = paths(machine, options.paths());
        Prediction prediction = new Prediction(machine, paths, options.sizes(), options.depth());
        return options.json()
                .show(NAME, OK, PredictPage.of(prediction), stream -> PredictJson.write(prediction, stream), out, err);
    }

    private static List<DataPath> paths(MachineModel machine, List<PathKind> asked) {
        if (asked.isEmpty()) {
            return Paths.of(machine);
        }
        List<DataPath> paths = new ArrayList<>();
        for (PathKind kind : asked) {
            paths.add(Paths.of(machine, kind)
                    .orElseThrow(() -> new PerftestException(
                            machine.name() + " has no path '" + kind.key() + "': a part of it is missing or not known",
                            "it has "
                                    + Paths.of(machine).stream()
                                            .map(path -> path.kind().key())
                                            .collect(Collectors.joining(", ")))));
        }
        return paths;
    }

    private static int calibrate(PredictOptions options, PrintStream out, PrintStream err) {
        Calibration calibration = Calibration.of(options.calibrate(), options.fit());
        List<Long> others = options.hasSizes() ? options.sizes() : List.of();
        return options.json()
                .show(
                        NAME,
                        OK,
                        CalibrationPage.of(calibration, others),
                        stream -> PredictJson.write(calibration, others, stream),
                        out,
                        err);
    }
}
