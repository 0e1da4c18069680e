// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import io.github.rdma4j.cuda.StandInDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * Measures the cost of staging with the stand-in for CUDA's driver: the bandwidth of 1 MiB messages in GPU memory,
 * staged on both sides, in turn with host memory, and the peak memory of short and long runs. Not a test, because
 * other work on the machine affects the figures more than the copies do. Takes the number of rounds and of messages.
 * Run it in {@code scripts/softroce}, with the class path of {@code target/test-classpath.txt}.
 */
final class StagedBandwidth {
    private static final String STAGED = "--use_cuda=0 --gpu-path staged";
    private static final Path STATUS = Path.of("/proc/self/status");

    private StagedBandwidth() {}

    /** Takes the number of rounds and the number of messages in a run. */
    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        int messages = Integer.parseInt(arguments[1]);
        StandInDriver.use();
        for (String tool : new String[] {"ib_write_bw", "ib_send_bw"}) {
            besideHostMemory(tool, rounds, messages);
        }
        // Fewer than the depth would be a smaller depth.
        int few = Math.max(messages, 128);
        peak(few);
        System.out.printf(
                "ib_send_bw, staged: at most %d KiB resident with %d messages, %d with %d%n",
                peak(few), few, peak(5 * few), 5 * few);
    }

    private static double bandwidth(String tool, String memory, int messages) throws Exception {
        GpuRun run =
                GpuRun.of(tool + " -s 1048576 -n " + messages, memory, memory).passed();
        String row = run.client()
                .out()
                .lines()
                .filter(line -> line.startsWith(" 1048576 "))
                .findFirst()
                .orElseThrow();
        return Double.parseDouble(row.strip().split("\\s+")[3]);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static void besideHostMemory(String tool, int rounds, int messages) throws Exception {
        bandwidth(tool, "", messages);
        bandwidth(tool, STAGED, messages);
        double[] host = new double[rounds];
        double[] staged = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            host[round] = bandwidth(tool, "", messages);
            staged[round] = bandwidth(tool, STAGED, messages);
        }
        System.out.printf(
                Locale.ROOT,
                "%s, 1 MiB, MiB/s: host %s, staged %s: medians %.1f and %.1f, ratio %.3f%n",
                tool,
                Arrays.toString(host),
                Arrays.toString(staged),
                median(host),
                median(staged),
                median(staged) / median(host));
    }

    /** The most that this process had in memory during a run. */
    private static long peak(int messages) throws Exception {
        System.gc();
        Files.writeString(Path.of("/proc/self/clear_refs"), "5");
        GpuRun.of("ib_send_bw -s 1048576 -n " + messages, STAGED, STAGED).passed();
        return residentPeak();
    }

    private static long residentPeak() throws IOException {
        return Files.readAllLines(STATUS).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D+", "")))
                .findFirst()
                .orElseThrow();
    }
}
