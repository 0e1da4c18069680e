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
        List<String> command = new ArrayList<>();
        if (orders.load() == Load.LOCKED) {
            // Who has this right has no limit.
            command.addAll(List.of("setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock"));
        }
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        boolean waits = orders.load() == Load.INTERRUPTED || orders.load() == Load.CLOSED;
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                (waits ? OwnWaits.class : OwnLimits.class).getName(),
                orders.load().name(),
                System.getenv("RDMA4J_ADDRESS_1"),
                Long.toString(orders.seed()),
                Long.toString(orders.lengthMillis())));
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
