// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.count;

import io.github.rdma4j.perftest.compare.count.CountedCase.Ending;
import io.github.rdma4j.perftest.compare.plan.CompareCase;
import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.plan.Kind;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.runner.CClient;
import io.github.rdma4j.perftest.compare.runner.CProcess;
import io.github.rdma4j.perftest.compare.runner.CRunner;
import io.github.rdma4j.perftest.compare.runner.CTools;
import io.github.rdma4j.perftest.compare.runner.ChildProcesses;
import io.github.rdma4j.perftest.compare.runner.LocalServers;
import io.github.rdma4j.perftest.compare.runner.ProcessGuard;
import io.github.rdma4j.perftest.compare.runner.QuietCompilers;
import io.github.rdma4j.perftest.compare.runner.Runner;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.result.RunListener;
import io.github.rdma4j.perftest.run.ToolRun;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Predicate;

/** Counts the instructions of each case, in C and in Java. */
public final class CountSession {
    private static final int ONE_SIDED = 10_000;

    /** The C tools stop posting receives near the end, for fewer than half of these operations. */
    private static final int PING_PONG = 2_400;

    private static final int MOST_RUNS = 12;

    /** A process that disturbs one of C's runs rarely disturbs the next one. */
    private static final int MOST_RUNS_OF_C = 3;

    /** The largest difference, as a share, between two runs of the same code. */
    private static final double SETTLED = 0.002;

    /** The compiler needs seconds for the largest loop where the emulator counts, and more beside other programs. */
    private static final Duration COMPILING = Duration.ofSeconds(60);

    private static final int LARGE_MESSAGES = 1_000;
    private static final long LARGE = 16_384;

    private final InstructionCounter counter;
    private final CTools tools;
    private final ChildProcesses children;
    private final IntSupplier ports;
    private final Consumer<String> steps;
    private final Runner c;

    /**
     * @param ports gives the TCP port of each run
     * @param steps receives a text when a run begins
     */
    public CountSession(
            InstructionCounter counter,
            CTools tools,
            ChildProcesses children,
            IntSupplier ports,
            Consumer<String> steps) {
        this.counter = counter;
        this.tools = tools;
        this.children = children;
        this.ports = ports;
        this.steps = steps;
        LocalServers servers = new LocalServers(null, tools, null, null, children, ProcessGuard.NONE);
        this.c = new CRunner(tools, new CClient(servers, children, ProcessGuard.NONE));
    }

    /** Returns how many operations are enough. */
    public static int iterations(RunOrder order) {
        if (order.kind() == Kind.ONE_WAY) {
            return PING_PONG;
        }
        return order.size() > LARGE ? LARGE_MESSAGES : ONE_SIDED;
    }

    /**
     * Counts the operations of an order until the compiler has settled.
     *
     * @param limited whether there is a limit: then two equal counts do not end the session, because the compiler may
     *     be about to make better code; only a count within the limit does
     * @param met whether a count is within the limit
     * @throws CompareException when no run of C was undisturbed
     */
    public CountedCase run(RunOrder order, boolean limited, Predicate<CountedCase> met) {
        InstructionCount ofC = countC(order);
        step(order, "Java, warm-up");
        // The compiler recompiles Java's first runs when it has more profile data, so the first run does not count.
        runJava(order.withPort(ports.getAsInt()));
        step(order, "Java, run 1");
        CountedCase counted = countJava(order, ofC);
        boolean settled = false;
        for (int runs = 1; runs < MOST_RUNS && !(limited ? met.test(counted) : settled); runs++) {
            CountedCase before = counted;
            step(order, "Java, run " + (runs + 1));
            counted = countJava(order, ofC);
            settled = counted.undisturbed()
                    && before.undisturbed()
                    && Math.abs(counted.javaUser() - before.javaUser()) <= SETTLED * before.javaUser();
        }
        if (limited && met.test(counted)) {
            return counted.ended(Ending.ENOUGH);
        }
        return counted.ended(settled ? Ending.SETTLED : Ending.NEVER_SETTLED);
    }

    private void step(RunOrder order, String run) {
        steps.accept("counting " + order.tool().command() + ", " + order.size() + " bytes: " + run);
    }

    private InstructionCount countC(RunOrder order) {
        for (int runs = 0; runs < MOST_RUNS_OF_C; runs++) {
            step(order, "C, run " + (runs + 1));
            InstructionCount one = count(() -> c.run(order.withPort(ports.getAsInt())), 1);
            if (order.kind() != Kind.ONE_WAY || one.isOfOneCode()) {
                return one;
            }
        }
        throw new CompareException(
                "C's " + order.tool().command() + " never executed the same in a quarter of its parts",
                "something else in this machine calls write(2): end it");
    }

    private CountedCase countJava(RunOrder order, InstructionCount ofC) {
        return new CountedCase(
                new CompareCase(order.tool(), order.size()),
                count(() -> runJava(order.withPort(ports.getAsInt())), order.kind() == Kind.ONE_WAY ? 0.5 : 1),
                ofC,
                Ending.NEVER_SETTLED);
    }

    private InstructionCount count(Runnable run, double shareOfWaits) {
        QuietCompilers.await(COMPILING);
        return InstructionCount.of(counter.count(run), shareOfWaits);
    }

    private void runJava(RunOrder order) {
        Deadline deadline = order.deadline();
        String title = "C's " + order.tool().command() + " (server)";
        try (CProcess server = new CProcess(title, tools.server(order), children, ProcessGuard.NONE)) {
            server.awaitListening(order.port(), deadline);
            ToolRun.run(order.clientParameters(RunOrder.HOST), RunListener.NONE);
            server.await(deadline);
        }
    }
}
