// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Runs commands on this machine, at once or at their time. */
final class Shell implements AutoCloseable {
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

    /**
     * @param command for the shell
     * @param peer the process that it finds as {@code $PEER}
     * @return its output, when it has ended
     */
    static String run(String command, long peer) {
        try {
            ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true);
            builder.environment().put("PEER", Long.toString(peer));
            Process process = builder.start();
            String output = new String(process.getInputStream().readAllBytes()).strip();
            process.waitFor();
            return output;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("cannot run " + command, e);
        }
    }

    /** @param delayMillis from now to the first of the steps */
    void schedule(List<Step> steps, long delayMillis, long peer) {
        for (Step step : steps) {
            clock.schedule(
                    () -> {
                        String output = run(step.command(), peer);
                        if (!output.isEmpty()) {
                            System.err.println(step.command() + ": " + output);
                        }
                    },
                    delayMillis + step.afterMillis(),
                    TimeUnit.MILLISECONDS);
        }
    }

    /** Waits for running commands. Commands that have not started are discarded. */
    @Override
    public void close() {
        clock.shutdownNow();
        try {
            clock.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
