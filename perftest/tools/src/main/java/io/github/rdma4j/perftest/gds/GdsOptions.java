// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.gds;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.findings.CommandOptions;
import io.github.rdma4j.perftest.findings.JsonOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of {@code gpu gds_bw}. */
@Command(
        name = "rdma4j gpu " + GdsCommand.NAME,
        description = "Measures how fast a file is read to GPU memory and written from it, by each method that the"
                + " machine offers: GPUDirect Storage, cuFile's compatibility mode, staged through pinned"
                + " host memory, and, for comparison, host memory only, without and with the page cache."
                + " Compares all bytes afterwards.",
        footer = {
            "",
            "Exit status: 0 done; 1 it failed, or bytes were wrong; 2 wrong command line; 4 the JSON document could"
                    + " not be written."
        },
        sortOptions = false,
        usageHelpAutoWidth = true)
final class GdsOptions extends CommandOptions {
    private static final long MOST_BYTES = 1L << 40;
    private static final int MOST_BLOCK = 1 << 30;
    private static final int MOST_THREADS = 256;
    private static final int MOST_PASSES = 100_000;

    @Option(
            names = "--file",
            paramLabel = "<file>",
            description = "The file. A missing file is created, written, read and removed; an existing one is only"
                    + " read.")
    private Path file;

    @Option(
            names = "--file-size",
            paramLabel = "<bytes>",
            description = "The size of a file that is created, with K, M or G (default 256M).")
    private String fileSize = "256M";

    @Option(
            names = {"-s", "--size"},
            split = ",",
            paramLabel = "<bytes>",
            description =
                    "Bytes of a transfer, with K, M or G; several are separated by commas (default" + " 64K,1M,16M).")
    private List<String> sizes = List.of("64K", "1M", "16M");

    @Option(
            names = "--threads",
            split = ",",
            paramLabel = "<n>",
            description = "Threads that read or write at the same time; several numbers are separated by commas"
                    + " (default 1,4).")
    private List<Integer> threads = List.of(1, 4);

    @Option(
            names = {"-n", "--passes"},
            paramLabel = "<n>",
            description = "Passes over the whole file; the median is printed (default 5).")
    private int passes = 5;

    @Option(
            names = "--methods",
            split = ",",
            paramLabel = "<method>",
            description = "The methods: gds, compat, staged, direct, host. The page gives the reason for each one"
                    + " that the machine lacks (default all).")
    private List<String> methods = List.of("gds", "compat", "staged", "direct", "host");

    @Option(names = "--use_cuda", paramLabel = "<n>", description = "Number of the GPU (default 0).")
    private int gpu;

    @Option(names = "--no-direct", description = "Use the page cache when rdma4j opens the file (no O_DIRECT).")
    private boolean cached;

    @Option(names = "--register", description = "Let cuFile pin the memory before the transfers.")
    private boolean register;

    @Mixin
    private JsonOption json;

    @Override
    protected void check() {
        if (file == null) {
            throw new IllegalParameterException("which file? Give --file, on the storage to measure");
        }
        json.check(file);
        sizes();
        methods();
        fileSize();
        for (int count : threads) {
            within("--threads", count, 1, MOST_THREADS);
        }
        within("--passes", passes, 1, MOST_PASSES);
        if (gpu < 0) {
            throw new IllegalParameterException("--use_cuda: " + gpu + " is no number of a GPU");
        }
    }

    Path file() {
        return file;
    }

    long fileSize() {
        return bytes("--file-size", fileSize, MOST_BYTES);
    }

    List<Integer> sizes() {
        List<Integer> all = new ArrayList<>();
        sizes.forEach(each -> all.add((int) bytes("--size", each, MOST_BLOCK)));
        return all;
    }

    List<Integer> threads() {
        return threads;
    }

    int passes() {
        return passes;
    }

    List<GdsMethod> methods() {
        return methods.stream().map(GdsMethod::of).distinct().toList();
    }

    int gpu() {
        return gpu;
    }

    boolean direct() {
        return !cached;
    }

    boolean registers() {
        return register;
    }

    JsonOption json() {
        return json;
    }
}
