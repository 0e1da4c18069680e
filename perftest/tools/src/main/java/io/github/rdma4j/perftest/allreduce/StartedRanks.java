// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.perftest.environment.JavaCommand;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.exit.RunFailedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The other ranks on this machine, as processes like this one. If this process ends, their connection to it ends, and
 * then they end.
 */
final class StartedRanks implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 10;

    private final List<Process> processes = new ArrayList<>();

    /**
     * Starts ranks 1 and up.
     *
     * @param main the main class of the processes
     * @param arguments the arguments of this process: the last of each option counts, so that more can be appended
     * @param address the address where rank 0 waits
     */
    static StartedRanks start(
            Class<?> main, List<String> arguments, AllReduceOptions options, int ranks, String address) {
        StartedRanks started = new StartedRanks();
        boolean all = false;
        try {
            for (int rank = 1; rank < ranks; rank++) {
                List<String> command = new ArrayList<>(JavaCommand.of(main));
                command.addAll(List.of("gpu", AllReduceCommand.NAME));
                command.addAll(arguments);
                command.addAll(List.of("-g", "1", "--ranks", Integer.toString(ranks)));
                command.addAll(List.of("--rank", Integer.toString(rank), "--server", address));
                command.addAll(List.of("--use_cuda", Integer.toString(options.gpuOf(rank))));
                started.processes.add(new ProcessBuilder(command)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start());
            }
            all = true;
            return started;
        } catch (IOException e) {
            throw new PerftestException(
                    "the other ranks cannot be started: " + e.getMessage(), "start each yourself, with --rank");
        } finally {
            if (!all) {
                started.close();
            }
        }
    }

    /** Returns an empty set of processes. */
    static StartedRanks none() {
        return new StartedRanks();
    }

    /** Throws an exception if one has failed. */
    void requireAlive() {
        for (int i = 0; i < processes.size(); i++) {
            Process process = processes.get(i);
            if (!process.isAlive() && process.exitValue() != 0) {
                throw new RunFailedException(
                        "rank %d has ended with status %d".formatted(i + 1, process.exitValue()),
                        "see what it said before");
            }
        }
    }

    /** Waits for the processes, and kills those that do not end in time. */
    @Override
    public void close() {
        boolean interrupted = false;
        for (Process process : processes) {
            try {
                process.waitFor(interrupted ? 0 : PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            process.destroyForcibly();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
