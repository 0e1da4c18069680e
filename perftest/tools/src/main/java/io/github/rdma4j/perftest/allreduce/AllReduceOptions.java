// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.gpudirect.nccl.NcclDataType;
import io.github.rdma4j.gpudirect.nccl.NcclOperation;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.findings.CommandOptions;
import io.github.rdma4j.perftest.findings.JsonOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of {@code gpu nccl_allreduce_bw}. */
@Command(
        name = "rdma4j gpu " + AllReduceCommand.NAME,
        description =
                "Measures ncclAllReduce as nccl-tests does: algorithm and bus bandwidth, in place and out of place."
                        + " Checks all values. Shows what NCCL chose, from its log, and what doctor --gpu predicts.",
        footer = {
            "",
            "Options that nccl-tests also has mean the same. Ranks are processes: -g 4 starts three more on this"
                    + " machine. mpirun, srun and torchrun can start the ranks, or start each one yourself with"
                    + " --rank, --ranks and --server.",
            "",
            "Exit status: 0 done; 1 it failed, or values were wrong; 2 wrong command line; 4 the JSON document"
                    + " could not be written."
        },
        sortOptions = false,
        usageHelpAutoWidth = true)
final class AllReduceOptions extends CommandOptions {
    private static final long MOST_BYTES = 1L << 40;
    private static final long USUAL_BYTES = 32 << 20;
    private static final int MOST_ITERATIONS = 10_000_000;
    private static final int MOST_SIZES = 10_000;
    private static final int MOST_FACTOR = 1 << 20;
    private static final int MOST_SECONDS = 86_400;

    /** The choice among the ranks' times for the reported time. */
    enum Average {
        RANK_0,
        MEAN,
        LEAST,
        GREATEST
    }

    @Option(
            names = {"-b", "--minbytes"},
            paramLabel = "<bytes>",
            description = "The smallest size, with K, M or G (default 32M).")
    private String least;

    @Option(
            names = {"-e", "--maxbytes"},
            paramLabel = "<bytes>",
            description = "The largest size (default 32M, or the smallest if that is larger).")
    private String greatest;

    @Option(
            names = {"-i", "--stepbytes"},
            paramLabel = "<bytes>",
            description = "The step from one size to the next, in bytes (default 1M).")
    private String step;

    @Option(
            names = {"-f", "--stepfactor"},
            paramLabel = "<n>",
            description = "The factor from one size to the next, instead of -i.")
    private Integer factor;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "<n>",
            description = "Operations per size; their mean time is printed (default 20).")
    private int iterations = 20;

    @Option(
            names = {"-w", "--warmup_iters"},
            paramLabel = "<n>",
            description = "Operations before the measured ones (default 1).")
    private int warmUp = 1;

    @Option(
            names = "--no-warm-up",
            description =
                    "Start measuring at once. By default, operations of the smallest size run first, for up to 3 s,"
                            + " until the JVM has compiled the measured code.")
    private boolean cold;

    @Option(
            names = {"-m", "--agg_iters"},
            paramLabel = "<n>",
            description = "Operations in a group (default 1).")
    private int grouped = 1;

    @Option(
            names = {"-c", "--check"},
            paramLabel = "<n>",
            description = "Operations of each size whose values are all checked; 0 checks none (default 1).")
    private int checks = 1;

    @Option(
            names = {"-d", "--datatype"},
            split = ",",
            paramLabel = "<type>",
            description = "int8, uint8, int32, uint32, int64, uint64, half, float, double, bfloat16, f8e4m3, f8e5m2;"
                    + " several, separated by commas, or all (default float).")
    private List<String> types = List.of("float");

    @Option(
            names = {"-o", "--op"},
            split = ",",
            paramLabel = "<operation>",
            description = "sum, prod, max, min, avg; several, separated by commas, or all (default sum).")
    private List<String> operations = List.of("sum");

    @Option(
            names = {"-a", "--average"},
            paramLabel = "<0..3>",
            description = "The time to print: 0 of rank 0, 1 the mean of all ranks, 2 the shortest, 3 the longest"
                    + " (default 1).")
    private int average = 1;

    @Option(
            names = {"-R", "--local_register"},
            paramLabel = "<0..2>",
            description = "0 plain memory, 1 memory from ncclMemAlloc that each rank registers, 2 windows of all ranks"
                    + " (default 0).")
    private int registration;

    @Option(
            names = {"-T", "--timeout"},
            paramLabel = "<seconds>",
            description = "End with an error if for this long no rank connects and no operation ends (default 60).")
    private int timeout = 60;

    @Option(
            names = {"-g", "--ngpus"},
            paramLabel = "<n>",
            description = "Ranks on this machine: processes with one GPU each, the first with --use_cuda (default 1).")
    private Integer gpus;

    @Option(names = "--ranks", paramLabel = "<n>", description = "Number of all ranks (default: -g, without --rank).")
    private Integer ranks;

    @Option(names = "--rank", paramLabel = "<n>", description = "The rank of this process, from 0.")
    private Integer rank;

    @Option(
            names = "--server",
            paramLabel = "<host:port>",
            description =
                    "The address of rank 0's machine where it waits for the other ranks; use a trusted" + " network.")
    private String server;

    @Option(
            names = "--use_cuda",
            paramLabel = "<n>",
            description = "Number of the GPU (default the rank's number on this machine).")
    private Integer gpu;

    @Option(
            names = "--log",
            paramLabel = "<file>",
            description = "Keep NCCL's log in this file; with several ranks, each writes a file with its number"
                    + " appended to the name.")
    private Path log;

    @Mixin
    private JsonOption json;

    private Launch launch;

    @Override
    protected void check() {
        check(System.getenv());
    }

    /** Checks the options with another environment than this process's. */
    void check(Map<String, String> environment) {
        json.check(log == null ? new Path[0] : new Path[] {log});
        within("-n", iterations, 1, MOST_ITERATIONS);
        within("-w", warmUp, 0, MOST_ITERATIONS);
        within("-m", grouped, 1, MOST_ITERATIONS);
        within("-c", checks, 0, MOST_ITERATIONS);
        within("-a", average, 0, Average.values().length - 1);
        within("-R", registration, 0, 2);
        within("-T", timeout, 1, MOST_SECONDS);
        types();
        operations();
        sizes(types().stream().mapToInt(NcclDataType::size).max().orElseThrow());
        IllegalParameterException.when(gpu != null && gpu < 0, () -> "--use_cuda: " + gpu + " is no number of a GPU");
        if (gpus != null) {
            within("-g", gpus, 1, Launch.MOST_RANKS);
            IllegalParameterException.when(
                    rank != null && gpus > 1, "-g: a process with --rank is one rank; start the others beside it");
            IllegalParameterException.when(
                    rank == null && ranks != null && !gpus.equals(ranks),
                    () -> "-g %d and --ranks %d: without --rank they mean the same".formatted(gpus, ranks));
        }
        launch = Launch.of(rank, rank == null && ranks == null ? several() : ranks, server, environment);
    }

    /** Launchers start one process for each GPU. */
    private Integer several() {
        return gpus != null && gpus > 1 ? gpus : null;
    }

    /**
     * Returns the sizes to measure, in bytes.
     *
     * @param element bytes of an element: sizes are rounded down to whole elements
     */
    List<Long> sizes(int element) {
        long first = least == null ? USUAL_BYTES : bytes("-b", least, MOST_BYTES);
        long last = greatest == null ? Math.max(first, USUAL_BYTES) : bytes("-e", greatest, MOST_BYTES);
        IllegalParameterException.when(first > last, () -> "-b: %d is more than -e %d".formatted(first, last));
        IllegalParameterException.when(
                first < element, () -> "-b: %d bytes are less than an element of %d".formatted(first, element));
        IllegalParameterException.when(factor != null && step != null, "-i and -f: one of the two");
        if (factor != null) {
            within("-f", factor, 2, MOST_FACTOR);
        }
        long more = step == null ? 1 << 20 : bytes("-i", step, MOST_BYTES);
        List<Long> sizes = new ArrayList<>();
        for (long size = first; size <= last; size = factor != null ? size * factor : size + more) {
            sizes.add(size / element * element);
            IllegalParameterException.when(
                    sizes.size() > MOST_SIZES, "-i: more than %d sizes: take -f".formatted(MOST_SIZES));
        }
        return sizes.stream().distinct().toList();
    }

    List<NcclDataType> types() {
        return TypeName.types(types);
    }

    List<NcclOperation> operations() {
        return TypeName.operations(operations);
    }

    int iterations() {
        return iterations;
    }

    int warmUp() {
        return warmUp;
    }

    /** Returns whether to compile the measured code before the run. */
    boolean compiles() {
        return !cold;
    }

    int grouped() {
        return grouped;
    }

    int checks() {
        return checks;
    }

    Average average() {
        return Average.values()[average];
    }

    /** Returns 0 for none, 1 for registration by each rank, 2 for windows. */
    int registration() {
        return registration;
    }

    Duration timeout() {
        return Duration.ofSeconds(timeout);
    }

    Launch launch() {
        return launch;
    }

    /** Returns the GPU of a rank that this process starts. */
    int gpuOf(int startedRank) {
        return (gpu == null ? 0 : gpu) + startedRank;
    }

    Optional<Integer> gpu() {
        return Optional.ofNullable(gpu);
    }

    /** Returns the file for NCCL's log. */
    Optional<Path> log() {
        return Optional.ofNullable(log)
                .map(file ->
                        launch.ranks() == 1 ? file : file.resolveSibling(file.getFileName() + "." + launch.rank()));
    }

    JsonOption json() {
        return json;
    }

    /** Describes the options that all ranks must share. */
    String common() {
        return "-b %d.. (%d sizes, %s), -n %d -w %d%s -m %d -c %d -R %d, types %s, operations %s"
                .formatted(
                        sizes(1).getFirst(),
                        sizes(1).size(),
                        sizes(1).getLast(),
                        iterations,
                        warmUp,
                        cold ? " --no-warm-up" : "",
                        grouped,
                        checks,
                        registration,
                        types().stream().map(TypeName::of).collect(Collectors.joining(",")),
                        operations().stream().map(TypeName::of).collect(Collectors.joining(",")));
    }
}
