// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import io.github.rdma4j.perftest.compare.plan.CompareCase;
import io.github.rdma4j.perftest.compare.plan.ComparePlan;
import io.github.rdma4j.perftest.compare.plan.Expectation;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.plan.TcpMode;
import io.github.rdma4j.perftest.compare.result.CaseResult;
import io.github.rdma4j.perftest.compare.result.CompareResult;
import io.github.rdma4j.perftest.compare.result.Conditions;
import io.github.rdma4j.perftest.compare.result.Implementation;
import io.github.rdma4j.perftest.compare.result.Measurement;
import io.github.rdma4j.perftest.compare.result.Round;
import io.github.rdma4j.perftest.compare.result.ServerMachine;
import io.github.rdma4j.perftest.compare.result.ToolOutput;
import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.options.Tool;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Made-up and captured material of the tests. */
public final class Samples {
    public static final CompareCase LATENCY = new CompareCase(Tool.WRITE_LATENCY, 2);
    public static final CompareCase BANDWIDTH = new CompareCase(Tool.WRITE_BANDWIDTH, 65536);

    private Samples() {}

    /** A captured output. */
    public static String output(String name) {
        try (InputStream in = Samples.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    public static ComparePlan plan(List<CompareCase> cases, int rounds, Expectation... expectations) {
        return new ComparePlan(
                cases,
                rounds,
                0,
                0,
                null,
                1,
                -1,
                0,
                null,
                1,
                0,
                0,
                0,
                60,
                true,
                TcpMode.NONE,
                null,
                List.of(expectations));
    }

    public static RunOrder order(CompareCase test) {
        return plan(List.of(test), 5).order(test, "rxe0", 1, true);
    }

    public static Measurement latency(Implementation implementation, double typical, double average) {
        return measurement(
                implementation, Map.of("t_typical", typical, "t_avg", average, "percentile_99", 2 * average));
    }

    public static Measurement bandwidth(Implementation implementation, double average, double rate) {
        return measurement(implementation, Map.of("BW_average", average, "MsgRate", rate));
    }

    static Measurement measurement(Implementation implementation, Map<String, Double> figures) {
        ToolOutput output = new ToolOutput(
                Map.of("Mtu", "4096[B]", "TX depth", implementation == Implementation.C ? "1" : "2"),
                " #bytes heading of " + implementation.title(),
                " 2 row of " + implementation.title(),
                figures);
        return Measurement.of(implementation, output);
    }

    public static Round round(int number, Measurement... measurements) {
        Map<Implementation, Measurement> map = new EnumMap<>(Implementation.class);
        for (Measurement measurement : measurements) {
            map.put(measurement.implementation(), measurement);
        }
        return new Round(number, map);
    }

    public static CaseResult latencyResult(double[] java, double[] c) {
        List<Round> rounds = new ArrayList<>();
        for (int i = 0; i < java.length; i++) {
            rounds.add(round(
                    i + 1,
                    latency(Implementation.JAVA, java[i], java[i] + 1),
                    latency(Implementation.C, c[i], c[i] + 1)));
        }
        return new CaseResult(LATENCY, order(LATENCY), rounds);
    }

    public static CaseResult bandwidthResult() {
        return new CaseResult(
                BANDWIDTH,
                order(BANDWIDTH),
                List.of(round(
                        1, bandwidth(Implementation.JAVA, 60, 0.00096), bandwidth(Implementation.C, 50, 0.0008))));
    }

    /** Of a software device. */
    public static Conditions conditions() {
        return conditions("rxe0", true);
    }

    public static Conditions conditionsOfHardware() {
        return conditions("mlx5_0", false);
    }

    private static Conditions conditions(String device, boolean software) {
        Environment environment = new Environment(
                "1.0",
                device,
                1,
                software,
                null,
                null,
                "Ethernet",
                4096,
                1,
                "Linux 6.1",
                "amd64",
                "A processor",
                2,
                null,
                null,
                null,
                "System.nanoTime (CLOCK_MONOTONIC, clock source tsc)",
                "A VM 25",
                List.of("-Xmx1g"),
                "6.06");
        return new Conditions(environment, "/usr/bin");
    }

    /** With the servers on another machine of other hardware. */
    public static Conditions conditionsOfTwoMachines(String cVersionThere) {
        Environment there = conditions("mlx5_3", false).environment().withCVersion(cVersionThere);
        return conditions("mlx5_0", false)
                .with(new ServerMachine("10.0.0.1", "alpha", there, "/opt/perftest", true, false));
    }

    public static CompareResult result(ComparePlan plan, CaseResult... cases) {
        return new CompareResult(Instant.EPOCH, 12.5, conditions(), plan, null, List.of(cases));
    }
}
