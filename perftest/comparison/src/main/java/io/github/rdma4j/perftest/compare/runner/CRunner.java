// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.result.Implementation;
import io.github.rdma4j.perftest.compare.result.Measurement;
import io.github.rdma4j.perftest.exit.CompareException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * Runs the C tool as two processes. The client measures the CPU's frequency for its report. If other programs disturb
 * this too much, it uses 0 and prints all times as infinite: then the run is repeated. The client's times in cycles
 * ({@code -C}) would not need the frequency, but only the tool can measure it: no file of the kernel contains the
 * frequency of the counter that the tool reads.
 */
public final class CRunner implements Runner {
    private static final int MOST_RUNS = 60;

    /** A disturbance, such as another program's start, usually lasts for seconds. */
    private static final Duration PAUSE = Duration.ofMillis(500);

    private final CTools tools;
    private final CClient clients;

    /**
     * @param tools where they are
     * @param clients runs them
     */
    public CRunner(CTools tools, CClient clients) {
        this.tools = tools;
        this.clients = clients;
    }

    @Override
    public Measurement run(RunOrder order) {
        List<String> command = tools.client(order, clients.end().host());
        return measured(title(order), PAUSE, () -> {
            CClient.Ended ended = clients.run(title(order), ServerProgram.C, command, order);
            return Measurement.of(Implementation.C, CToolOutput.parse(ended.output()))
                    .using(order.messages(), ended.cpu());
        });
    }

    /** Returns the name of the tool in messages. */
    static String title(RunOrder order) {
        return "C's " + order.tool().command();
    }

    /** Returns the first run with valid times. */
    static Measurement measured(String name, Duration pause, Supplier<Measurement> run) {
        String row = "";
        for (int runs = 0; runs < MOST_RUNS; runs++) {
            if (runs > 0) {
                sleep(pause);
            }
            Measurement one = run.get();
            row = one.output().row().strip();
            if (!List.of(row.split("\\s+")).contains("inf")) {
                return one;
            }
        }
        throw new CompareException(
                name + " could not measure the processor's frequency, " + MOST_RUNS + " times: '" + row + "'",
                "the machine is too busy, or has one processor for both ends: end other programs, or add one");
    }

    private static void sleep(Duration pause) {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new CompareException("interrupted before another run of C's tool", "");
        }
    }
}
