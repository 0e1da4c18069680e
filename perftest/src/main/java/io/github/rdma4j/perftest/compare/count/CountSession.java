// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.count;

import io.github.rdma4j.perftest.compare.count.CountedCase.Ending;
import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.plan.Kind;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.plan.TestCase;
import io.github.rdma4j.perftest.compare.runner.CProcess;
import io.github.rdma4j.perftest.compare.runner.CRunner;
import io.github.rdma4j.perftest.compare.runner.CTools;
import io.github.rdma4j.perftest.compare.runner.ChildProcesses;
import io.github.rdma4j.perftest.compare.runner.ProcessGuard;
import io.github.rdma4j.perftest.compare.runner.QuietCompilers;
import io.github.rdma4j.perftest.compare.runner.Runner;
import io.github.rdma4j.perftest.result.TestListener;
import io.github.rdma4j.perftest.run.PerfTest;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Predicate;

/** Counts the instructions of each case, in C and in Java. */
public final class CountSession {
    private static final int ONE_SIDED = 10_000;

    /** The C tools stop posting receives before the end, which is less than half of so many. */
    private static final int PING_PONG = 2_400;

    private static final int MOST_RUNS = 12;

    /** Two runs that differ by less, as a share, are of the same code. */
    private static final double SETTLED = 0.002;

    private static final int LARGE_MESSAGES = 1_000;
    private static final long LARGE = 16_384;

    private final InstructionCounter counter;
    private final CTools tools;
    private final ChildProcesses children;
    private final IntSupplier ports;
    private final Runner c;

    public CountSession(InstructionCounter counter, CTools tools, ChildProcesses children, IntSupplier ports) {
        this.counter = counter;
        this.tools = tools;
        this.children = children;
        this.ports = ports;
        this.c = new CRunner(tools, children, ProcessGuard.NONE);
    }

    /** How many operations are enough. */
    public static int iterations(RunOrder order) {
        if (order.kind() == Kind.ONE_WAY) {
            return PING_PONG;
        }
        return order.size() > LARGE ? LARGE_MESSAGES : ONE_SIDED;
    }

    /**
     * Counts the operations of an order, until the compiler has settled.
     *
     * @param enough whether a count need not be any lower: then no other run follows
     */
    public CountedCase run(RunOrder order, Predicate<CountedCase> enough) {
        QuietCompilers.await();
        InstructionCount ofC = InstructionCount.of(counter.count(() -> c.run(order.withPort(ports.getAsInt()))), 1);
        // Java's first runs are of code that the compiler makes anew behind them, for what it had not seen before.
        runJava(order.withPort(ports.getAsInt()));
        CountedCase counted = countJava(order, ofC);
        for (int runs = 1; runs < MOST_RUNS && !enough.test(counted); runs++) {
            double before = counted.javaUser();
            counted = countJava(order, ofC);
            if (Math.abs(counted.javaUser() - before) <= SETTLED * before) {
                return counted.ended(Ending.SETTLED);
            }
        }
        return enough.test(counted) ? counted.ended(Ending.ENOUGH) : counted;
    }

    private CountedCase countJava(RunOrder order, InstructionCount ofC) {
        QuietCompilers.await();
        List<InstructionRecord> records = counter.count(() -> runJava(order.withPort(ports.getAsInt())));
        return new CountedCase(
                new TestCase(order.tool(), order.size()),
                InstructionCount.of(records, order.kind() == Kind.ONE_WAY ? 0.5 : 1),
                ofC,
                Ending.NEVER_SETTLED);
    }

    private void runJava(RunOrder order) {
        Deadline deadline = order.deadline();
        String title = "C's " + order.tool().command() + " (server)";
        try (CProcess server = new CProcess(title, tools.server(order), children, ProcessGuard.NONE)) {
            server.awaitListening(order.port(), deadline);
            PerfTest.run(order.parameters(false), TestListener.NONE);
            server.await(deadline);
        }
    }
}
