// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.plan.TcpSetting;
import io.github.rdma4j.perftest.compare.result.Implementation;
import io.github.rdma4j.perftest.compare.result.Measurement;
import io.github.rdma4j.perftest.compare.result.ToolOutput;
import io.github.rdma4j.perftest.exit.CompareException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs iperf3 over TCP as two processes. The figure is the receiver's. */
final class IperfRunner implements Runner {
    static final String TITLE = "iperf3";

    /** iperf3 refuses larger blocks. */
    private static final long MOST_BYTES = 1 << 20;

    private static final String RATE = "/end/sum_received/bits_per_second";
    private static final int BITS = 8;

    private final String program;
    private final TcpSetting setting;
    private final CClient clients;

    /**
     * @param program its file
     * @param setting where
     * @param clients runs the processes
     */
    IperfRunner(String program, TcpSetting setting, CClient clients) {
        this.program = program;
        this.setting = setting;
        this.clients = clients;
    }

    @Override
    public boolean canRun(RunOrder order) {
        return !order.tool().isLatency() && order.size() <= MOST_BYTES;
    }

    @Override
    public Measurement run(RunOrder order) {
        String port = Integer.toString(order.port());
        String address = setting.path().address();
        List<String> client = new ArrayList<>(List.of(program, "-c", address, "-p", port, "-J", "-N", "-i", "0"));
        client.addAll(
                List.of("-l", Long.toString(order.size()), "-n", Long.toString(order.size() * order.iterations())));
        CClient.Ended ended = clients.run(TITLE, ServerProgram.IPERF, client, order);
        Map<String, Double> figures =
                TcpFigures.bandwidth((int) order.size(), order.iterations(), bytesPerSecond(ended.output()));
        return Measurement.of(Implementation.TCP_C, ToolOutput.of(figures))
                .using(order.kind().messages(order.iterations()), ended.cpu());
    }

    /** Returns the command line of a run's server. */
    static List<String> server(Path program, TcpSetting setting, RunOrder order) {
        return List.of(
                program.toString(), "-s", "-1", "-B", setting.path().address(), "-p", Integer.toString(order.port()));
    }

    /**
     * Returns the receiver's rate.
     *
     * @param json the program's output
     * @throws CompareException when the output does not contain the rate
     */
    static double bytesPerSecond(String json) {
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token.isNumeric()
                        && parser.getParsingContext().pathAsPointer().toString().equals(RATE)) {
                    return parser.getDoubleValue() / BITS;
                }
            }
        } catch (IOException failure) {
            throw new CompareException(
                    "iperf3 printed no JSON: "
                            + failure.getMessage().lines().findFirst().orElse(""),
                    "leave plain TCP out: --tcp none");
        }
        throw new CompareException("iperf3 printed no " + RATE, "leave plain TCP out: --tcp none");
    }
}
