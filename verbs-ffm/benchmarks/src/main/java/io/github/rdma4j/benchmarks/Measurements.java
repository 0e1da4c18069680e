// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** What was measured, by benchmark. */
public final class Measurements {
    /** Per JVM. Many short iterations, so that some are not disturbed by other load on the machine. */
    static final int ITERATIONS = 80;

    private static final String ALLOCATION = "gc.alloc.rate.norm";

    private final String prefix;
    private final Map<String, List<Double>> times = new TreeMap<>();
    private final Map<String, Double> allocations = new TreeMap<>();

    /**
     * Creates an object without measurements.
     *
     * @param main a class of the package that has the benchmarks
     */
    public Measurements(Class<?> main) {
        this.prefix = main.getPackageName() + ".";
    }

    /**
     * Runs a benchmark once more, in a separate JVM.
     *
     * @param benchmark as {@code Class.method}
     * @param forked false to run it in this JVM, to see that it works
     */
    public void run(String benchmark, boolean forked) throws RunnerException {
        String pattern = "^" + Pattern.quote(prefix + benchmark) + "$";
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(pattern)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .addProfiler(GCProfiler.class)
                .forks(forked ? 1 : 0)
                .warmupIterations(forked ? 20 : 0)
                .warmupTime(TimeValue.milliseconds(100))
                .measurementIterations(forked ? ITERATIONS : 1)
                .measurementTime(TimeValue.milliseconds(forked ? 5 : 1));
        for (RunResult result : new Runner(options.build()).run()) {
            result.getBenchmarkResults()
                    .forEach(fork -> fork.getIterationResults().forEach(iteration -> add(benchmark, iteration)));
        }
        if (!times.containsKey(benchmark)) {
            throw new IllegalArgumentException("there is no benchmark " + benchmark);
        }
    }

    private void add(String benchmark, IterationResult iteration) {
        times.computeIfAbsent(benchmark, name -> new ArrayList<>())
                .add(iteration.getPrimaryResult().getScore());
        Result<?> allocation = iteration.getSecondaryResults().get(ALLOCATION);
        // Allocations of the operation occur in every iteration, allocations of JMH itself only in some.
        allocations.merge(benchmark, allocation == null ? 0 : allocation.getScore(), Math::min);
    }

    /** Returns the shortest of all iterations, which was disturbed least, in nanoseconds per operation. */
    double best(String benchmark) {
        return times.get(benchmark).stream()
                .mapToDouble(Double::doubleValue)
                .min()
                .orElseThrow();
    }

    /** The median of all iterations. */
    double median(String benchmark) {
        double[] sorted = times.get(benchmark).stream()
                .mapToDouble(Double::doubleValue)
                .sorted()
                .toArray();
        return sorted[sorted.length / 2];
    }

    /** Bytes allocated per operation. */
    double allocated(String benchmark) {
        return allocations.get(benchmark);
    }
}
