// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.Kind;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.plan.TcpSetting;
import io.github.rdma4j.perftest.compare.result.Implementation;
import io.github.rdma4j.perftest.compare.result.Measurement;
import io.github.rdma4j.perftest.compare.result.ToolOutput;
import io.github.rdma4j.perftest.exit.CompareException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs sockperf's ping-pong over TCP as two processes. It runs for a duration instead of a number of messages. */
final class SockperfRunner implements Runner {
    static final String TITLE = "sockperf";

    private static final int LEAST_BYTES = 14;
    private static final int MOST_BYTES = 65_507;

    /** The shortest time that sockperf accepts; it discards the first 0.4 s. */
    private static final int SECONDS = 1;

    private static final String NUMBER = "([0-9.]+)";
    private static final Pattern ALL_SENT = Pattern.compile("\\[Total Run].*SentMessages=" + NUMBER);
    private static final Pattern COUNTED = Pattern.compile("\\[Valid Duration].*ReceivedMessages=" + NUMBER);
    private static final Map<String, Pattern> FIGURES = new LinkedHashMap<>();

    static {
        FIGURES.put("t_min", Pattern.compile("<MIN> observation\\s*=\\s*" + NUMBER));
        FIGURES.put("t_max", Pattern.compile("<MAX> observation\\s*=\\s*" + NUMBER));
        FIGURES.put("t_typical", Pattern.compile("percentile 50\\.000\\s*=\\s*" + NUMBER));
        FIGURES.put("t_avg", Pattern.compile("avg-(?:latency|rtt)=" + NUMBER));
        FIGURES.put("t_stdev", Pattern.compile("std-dev=" + NUMBER));
        FIGURES.put("percentile_99", Pattern.compile("percentile 99\\.000\\s*=\\s*" + NUMBER));
        FIGURES.put("percentile_99.9", Pattern.compile("percentile 99\\.900\\s*=\\s*" + NUMBER));
    }

    private final String program;
    private final TcpSetting setting;
    private final CClient clients;

    /**
     * @param program its file
     * @param setting where and how
     * @param clients runs the processes
     */
    SockperfRunner(String program, TcpSetting setting, CClient clients) {
        this.program = program;
        this.setting = setting;
        this.clients = clients;
    }

    @Override
    public boolean canRun(RunOrder order) {
        return order.tool().isLatency() && order.size() <= MOST_BYTES;
    }

    /** It measures for a fixed time, so a short run would show no overhead to subtract. */
    @Override
    public boolean hasShortRun() {
        return false;
    }

    @Override
    public Measurement run(RunOrder order) {
        CClient.Ended ended = clients.run(TITLE, ServerProgram.SOCKPERF, client(order), order);
        return Measurement.of(Implementation.TCP_C, ToolOutput.of(figures(ended.output(), size(order))))
                .using(order.kind().messages((long) number(ALL_SENT, ended.output())), ended.cpu());
    }

    private static int size(RunOrder order) {
        return (int) Math.clamp(order.size(), LEAST_BYTES, MOST_BYTES);
    }

    /** Returns the command line of a run's server. */
    static List<String> server(Path program, TcpSetting setting, RunOrder order) {
        return command(program.toString(), "server", setting, order);
    }

    private static List<String> command(String program, String role, TcpSetting setting, RunOrder order) {
        List<String> command = new ArrayList<>(List.of(
                program,
                role,
                "--tcp",
                "-i",
                setting.path().address(),
                "-p",
                Integer.toString(order.port()),
                "-m",
                Integer.toString(size(order))));
        if (setting.spin()) {
            command.add("--nonblocked");
        }
        return command;
    }

    private List<String> client(RunOrder order) {
        List<String> command = command(program, "ping-pong", setting, order);
        command.add("-t");
        command.add(Integer.toString(SECONDS));
        if (order.kind() == Kind.ROUND_TRIP) {
            command.add("--full-rtt");
        }
        return command;
    }

    /**
     * Returns the figures in the program's output.
     *
     * @throws CompareException when there is no latency in it
     */
    static Map<String, Double> figures(String printed, int size) {
        Map<String, Double> figures = TcpFigures.begin(size, (long) number(COUNTED, printed));
        FIGURES.forEach((key, pattern) -> figures.put(key, number(pattern, printed)));
        return figures;
    }

    private static double number(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new CompareException(
                    "sockperf printed no '" + pattern.pattern() + "'", "leave plain TCP out: --tcp none");
        }
        return Double.parseDouble(matcher.group(1));
    }
}
