// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.findings.CommandOptions;
import io.github.rdma4j.perftest.findings.JsonOption;
import io.github.rdma4j.perftest.predict.model.PathKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of {@code predict}. */
@Command(
        name = "rdma4j " + PredictCommand.NAME,
        description = "Predicts the bandwidth and CPU time of a machine's data paths by message size, and shows the"
                + " copies, the bytes on each link, and the link that limits. Reads this machine, or a"
                + " description of another. Sends nothing.",
        footer = {
            "",
            "Columns of the page: traffic per GiB, the GiB that a link carries for 1 GiB of data, headers included;"
                    + " link capacity, in GB/s; data at most, the capacity divided by the traffic; data rate, the"
                    + " prediction for messages of a size; share of limit, that rate divided by the path's limit;"
                    + " CPU time per GiB, of both ends together; limited by, the reason why the rate is not higher.",
            "",
            "Exit status: 0 predicted; 1 there is nothing to predict for, or a file cannot be used; 2 wrong command"
                    + " line; 4 the JSON file could not be written."
        },
        sortOptions = false,
        usageHelpAutoWidth = true)
final class PredictOptions extends CommandOptions {
    private static final long LARGEST_SIZE = 1L << 40;
    private static final int MOST_SIZES = 100;
    private static final int MOST_DEPTH = 1 << 20;
    private static final List<Long> USUAL_SIZES =
            List.of(64L, 1024L, 4096L, 16_384L, 65_536L, 262_144L, 1_048_576L, 8_388_608L);

    @Mixin
    private JsonOption json;

    @Option(
            names = "--machine",
            paramLabel = "<name|file>",
            description = "Predict for another machine: one that comes with rdma4j, or one that a JSON file"
                    + " describes (default: this machine).")
    private String machine;

    @Option(names = "--machines", description = "List the machines that come with rdma4j.")
    private boolean machines;

    @Option(
            names = "--device",
            paramLabel = "<device>",
            description = "Predict for this RDMA device of this machine, or this port, such as mlx5_0/2 (default: the"
                    + " first device with an active port).")
    private String device;

    @Option(
            names = "--path",
            paramLabel = "<path,...>",
            description =
                    "Show only these paths: host, gpudirect, staged, tcp, copy, nvlink, file, file-staged (default:"
                            + " all that the machine has).")
    private String paths;

    @Option(
            names = "--sizes",
            paramLabel = "<bytes,...>",
            description = "Show these message sizes; K, M and G are 2¹⁰, 2²⁰ and 2³⁰ (default: 64 to 8M).")
    private String sizes;

    @Option(
            names = "--depth",
            paramLabel = "<num>",
            description = "Messages in flight at the same time, as --tx-depth of the tools (default 128).")
    private int depth = 128;

    @Option(
            names = "--calibrate",
            paramLabel = "<results.json>",
            description =
                    "Fit the time per message, packet and byte to three sizes of this document of a bandwidth tool,"
                            + " and compare the other sizes with the fit. Repeat it for several documents; the best"
                            + " result of each size counts.")
    private List<Path> calibrate = new ArrayList<>();

    @Option(
            names = "--fit",
            paramLabel = "<bytes,...>",
            description = "With --calibrate, the three sizes (default: the smallest, the one nearest to the MTU, the"
                    + " largest).")
    private String fit;

    @Override
    protected void check() {
        json.check(calibrate.toArray(Path[]::new));
        if (machine != null && Files.exists(Path.of(machine))) {
            json.check(Path.of(machine));
        }
        if (machine != null && device != null) {
            throw new IllegalParameterException(
                    "--device is of this machine, and --machine of another: give one of them");
        }
        if (!calibrate.isEmpty() && (machine != null || device != null || paths != null || machines)) {
            throw new IllegalParameterException("--calibrate is only with --fit, --sizes and --json");
        }
        if (fit != null && calibrate.isEmpty()) {
            throw new IllegalParameterException("--fit is only for --calibrate");
        }
        within("--depth", depth, 1, MOST_DEPTH);
        paths();
        sizes();
        fit();
    }

    /** A machine that is not this one. */
    Optional<String> machine() {
        return Optional.ofNullable(machine);
    }

    /** Returns whether to list machines. */
    boolean wantsMachines() {
        return machines;
    }

    /** The only device of this machine. */
    Optional<String> device() {
        return Optional.ofNullable(device);
    }

    /** Returns the requested paths; empty for all. */
    List<PathKind> paths() {
        return paths == null
                ? List.of()
                : Arrays.stream(paths.split(",", -1))
                        .map(key -> PathKind.of(key.strip())
                                .orElseThrow(() -> new IllegalParameterException("--path: there is no path '"
                                        + key.strip() + "'; there are " + PathKind.keys())))
                        .distinct()
                        .toList();
    }

    /** The sizes, in bytes. */
    List<Long> sizes() {
        return sizes == null ? USUAL_SIZES : list("--sizes", sizes);
    }

    /** Returns whether sizes were requested. */
    boolean hasSizes() {
        return sizes != null;
    }

    /** The sizes to fit; empty for the usual ones. */
    List<Long> fit() {
        return fit == null ? List.of() : list("--fit", fit);
    }

    private static List<Long> list(String option, String text) {
        List<Long> list = new ArrayList<>();
        for (String word : text.split(",", -1)) {
            list.add(bytes(option, word.strip(), LARGEST_SIZE));
        }
        if (list.size() > MOST_SIZES) {
            throw new IllegalParameterException(option + ": " + list.size() + " sizes are more than " + MOST_SIZES);
        }
        return list.stream().distinct().sorted().toList();
    }

    /** Returns the number of messages in flight. */
    int depth() {
        return depth;
    }

    /** Returns the files with measurements. */
    List<Path> calibrate() {
        return calibrate;
    }

    /** Returns the JSON option. */
    JsonOption json() {
        return json;
    }
}
