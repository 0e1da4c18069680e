// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks.tcp;

import io.github.rdma4j.verbs.benchmarks.tcp.TcpCase.Pattern;
import io.github.rdma4j.verbs.benchmarks.tcp.TcpCase.Threads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Compares our code over TCP with the JDK's sockets and with Netty NIO, in turn, in this process:
 * {@code scripts/bench tcp}. A ratio is the median of the rounds, each with two rates measured one after the other,
 * with the lowest and the highest ratio.
 */
public final class TcpComparison {
    /** Spins until the process that has started it ends. */
    private static final String[] SPIN = {"sh", "-c", "while kill -0 $PPID 2>/dev/null; do :; done"};

    private TcpComparison() {}

    /**
     * Measures and prints a table.
     *
     * @param args states, patterns, sizes, connections and threads, each with commas between them; rounds; and the
     *     milliseconds of a measurement
     * @throws Exception of a contestant that failed
     */
    public static void main(String[] args) throws Exception {
        List<TcpCase> cases = cases(args[1], args[2], args[3], args[4]);
        int rounds = Integer.parseInt(args[5]);
        long millis = Long.parseLong(args[6]);
        System.out.println(
                "| machine | pattern | bytes | connections | threads | ours/s | plain/s | ratio | lowest–highest | aim |");
        System.out.println("|---|---|---:|---:|---|---:|---:|---:|---:|---:|");
        for (String state : args[0].split(",")) {
            boolean busy = state.equals("busy");
            List<Process> spinning = new ArrayList<>();
            try {
                for (int i = 0; busy && i < Runtime.getRuntime().availableProcessors(); i++) {
                    spinning.add(spin());
                }
                for (TcpCase what : cases) {
                    compare(what, busy, rounds, millis);
                }
            } finally {
                spinning.forEach(Process::destroyForcibly);
            }
        }
    }

    private static Process spin() throws IOException {
        return new ProcessBuilder(SPIN)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static List<TcpCase> cases(String patterns, String sizes, String connections, String threads) {
        List<TcpCase> cases = new ArrayList<>();
        for (String pattern : patterns.split(",")) {
            Pattern how = Pattern.valueOf(pattern.toUpperCase(Locale.ROOT).replace('-', '_'));
            for (String size : sizes.split(",")) {
                for (String number : connections.split(",")) {
                    for (String thread : how == Pattern.NETTY ? new String[] {"platform"} : threads.split(",")) {
                        cases.add(new TcpCase(
                                how,
                                Integer.parseInt(size),
                                Integer.parseInt(number),
                                Threads.valueOf(thread.toUpperCase(Locale.ROOT))));
                    }
                }
            }
        }
        return cases;
    }

    private static void compare(TcpCase what, boolean busy, int rounds, long millis) throws Exception {
        boolean netty = what.pattern() == Pattern.NETTY;
        Contestant.Opener ours = netty ? one -> new NettyEchoes(one, true) : Endpoints::new;
        Contestant.Opener plain = netty ? one -> new NettyEchoes(one, false) : Sockets::new;
        double[] ourRates = new double[rounds];
        double[] plainRates = new double[rounds];
        double[] ratios = new double[rounds];
        // The first round warms the code up.
        for (int round = -1; round < rounds; round++) {
            double ourRate = rate(ours, what, millis);
            double plainRate = rate(plain, what, millis);
            if (round >= 0) {
                ourRates[round] = ourRate;
                plainRates[round] = plainRate;
                ratios[round] = ourRate / plainRate;
            }
        }
        Arrays.sort(ourRates);
        Arrays.sort(plainRates);
        Arrays.sort(ratios);
        double aim = what.target(busy);
        System.out.printf(
                Locale.ROOT,
                "| %s | %s | %,.0f | %,.0f | %.2f | %.2f–%.2f | %s |%n",
                busy ? "busy" : "quiet",
                what,
                ourRates[rounds / 2],
                plainRates[rounds / 2],
                ratios[rounds / 2],
                ratios[0],
                ratios[rounds - 1],
                Double.isNaN(aim) ? "" : "%.1f%s".formatted(aim, ratios[rounds / 2] < aim ? " missed" : ""));
    }

    private static double rate(Contestant.Opener opener, TcpCase what, long millis) throws Exception {
        try (Contestant contestant = opener.open(what)) {
            return contestant.rate(millis);
        }
    }
}
