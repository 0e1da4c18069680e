// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A run that a process of this machine plays with itself, under limits that would spoil the next run. */
final class Alone {
    private static final long LONGEST_MINUTES = 5;

    private Alone() {}

    static EndReport run(Peer.Orders orders) throws IOException, InterruptedException {
        // A process with this right has no limit.
        List<String> before = orders.load() == Load.LOCKED
                ? List.of("setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock")
                : List.of();
        boolean waits = orders.load() == Load.INTERRUPTED || orders.load() == Load.CLOSED;
        return process(
                before,
                List.of(),
                waits ? OwnWaits.class : OwnLimits.class,
                List.of(
                        orders.load().name(),
                        System.getenv("RDMA4J_ADDRESS_1"),
                        Long.toString(orders.seed()),
                        Long.toString(orders.lengthMillis())));
    }

    /**
     * Runs another process like this one.
     *
     * @param before what starts it
     * @param flags of its JVM, in addition to the flags of this one
     * @return its output
     */
    static EndReport process(List<String> before, List<String> flags, Class<?> program, List<String> arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(before);
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output = process.inputReader()) {
            String line = output.readLine();
            if (line == null || !process.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES)) {
                throw new IllegalStateException("the process ended with "
                        + (process.waitFor(1, TimeUnit.SECONDS) ? process.exitValue() : "nothing") + " and said "
                        + line);
            }
            return EndReport.ofLine(line);
        } finally {
            process.destroyForcibly();
        }
    }
}
