// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.count;

import io.github.rdma4j.perftest.compare.plan.CompareCase;
import io.github.rdma4j.perftest.compare.plan.CompareOptions;
import io.github.rdma4j.perftest.compare.plan.ComparePlan;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.result.Conditions;
import io.github.rdma4j.perftest.compare.runner.CTools;
import io.github.rdma4j.perftest.compare.runner.ChildProcesses;
import io.github.rdma4j.perftest.compare.runner.ListeningPorts;
import io.github.rdma4j.perftest.compare.runner.SearchPath;
import io.github.rdma4j.perftest.exit.Complaints;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.options.Ranges;
import io.github.rdma4j.verbs.VerbsException;
import java.io.PrintStream;
import java.nio.file.InvalidPathException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * Counts the instructions of one operation of the tools, in Java and in C. {@code scripts/bench instructions} starts it
 * where an emulator counts. The arguments are options of {@code compare}, except for {@code --expect=}, whose values
 * are {@linkplain CountLimit limits}.
 */
final class InstructionsRun {
    private static final String NAME = "instructions";
    private static final String EXPECT = "--expect=";
    private static final int OK = 0;

    private InstructionsRun() {}

    /**
     * Ends the JVM with status 0 for success, 1 if a run failed or a limit was exceeded, 2 for a wrong command line.
     */
    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments), System.getenv(), System.out, System.err));
    }

    static int run(List<String> arguments, Map<String, String> environment, PrintStream out, PrintStream err) {
        Complaints complaints = new Complaints(NAME, "scripts/bench instructions --help", err);
        CompareOptions options = new CompareOptions();
        ComparePlan plan;
        List<CountLimit> limits;
        try {
            Ranges.parse(
                    new CommandLine(options).setOverwrittenOptionsAllowed(true),
                    arguments.stream().filter(one -> !one.startsWith(EXPECT)).toList());
            plan = options.plan();
            limits = arguments.stream()
                    .filter(one -> one.startsWith(EXPECT))
                    .map(one -> CountLimit.parse(one.substring(EXPECT.length()), plan.cases()))
                    .toList();
        } catch (ParameterException | IllegalParameterException | InvalidPathException failure) {
            return complaints.usage(failure);
        }
        try {
            List<CountedCase> cases = count(plan, limits, environment, out, err);
            List<String> exceeded = limits.stream()
                    .filter(limit -> !limit.isMet(cases))
                    .map(CountLimit::text)
                    .toList();
            return exceeded.isEmpty() ? OK : complaints.failed("not as expected: " + String.join(", ", exceeded));
        } catch (PerftestException failure) {
            return complaints.failed(failure);
        } catch (VerbsException failure) {
            // Its message contains the remedy.
            return complaints.failed(failure.getMessage());
        }
    }

    private static List<CountedCase> count(
            ComparePlan plan,
            List<CountLimit> limits,
            Map<String, String> environment,
            PrintStream out,
            PrintStream err) {
        List<CountedCase> cases = new ArrayList<>();
        try (InstructionCounter counter = InstructionCounter.open(environment);
                ChildProcesses children = new ChildProcesses()) {
            CTools tools = CTools.find(plan.tools(), SearchPath.of(plan.cFolder()));
            Conditions conditions = Conditions.read(
                    plan.device(), plan.devicePort(), plan.gidIndex(), null, tools.version(children), tools.folder());
            CountSession session = new CountSession(
                    counter,
                    tools,
                    children,
                    () -> plan.port() > 0 ? plan.port() : ListeningPorts.free(),
                    step -> err.println(NAME + ": " + step));
            CountTable.heading(out);
            for (CompareCase test : plan.cases()) {
                RunOrder order = plan.order(test, conditions.device(), conditions.gidIndex(), conditions.software());
                CountedCase one = session.run(
                        plan.iterations() > 0 ? order : order.withIterations(CountSession.iterations(order)),
                        CountLimit.areOf(limits, test),
                        counted -> CountLimit.areMet(limits, counted));
                CountTable.row(out, one);
                cases.add(one);
            }
            CountTable.explanation(out);
        }
        return cases;
    }
}
