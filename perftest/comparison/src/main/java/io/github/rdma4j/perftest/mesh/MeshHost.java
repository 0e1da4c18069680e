// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import io.github.rdma4j.perftest.compare.peer.ServedMachine;
import io.github.rdma4j.perftest.compare.plan.OwnPort;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.result.Conditions;
import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.compare.result.ServerMachine;
import io.github.rdma4j.perftest.compare.runner.JavaRunner;
import io.github.rdma4j.perftest.compare.runner.ServerEnd;
import io.github.rdma4j.perftest.compare.runner.ThreadServers;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import io.github.rdma4j.perftest.doctor.peer.PortCounters;
import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.result.RunListener;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.run.ToolRun;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/**
 * This machine as a host of a mesh. The tools run in this JVM, because only one end of a pair is here.
 *
 * @param describe its description
 * @param servers its servers
 */
record MeshHost(ServerMachine describe, ServerEnd servers) implements ServedMachine {
    /**
     * Prepares this machine.
     *
     * @param own its RDMA port
     * @param address the address of this machine by which it reaches rank 0
     */
    static MeshHost of(OwnPort own, InetAddress address) {
        Conditions conditions =
                Conditions.read(own.device(), own.devicePort(), own.gidIndex(), address, "", Path.of(""));
        ServerMachine description = new ServerMachine(
                address.getHostAddress(), Environment.hostName(), conditions.environment(), "", false, false);
        return new MeshHost(description, new ThreadServers());
    }

    @Override
    public Map<Metric, Double> measure(RunOrder order, String host) {
        SizeResult result = ToolRun.run(order.clientParameters(host), new RunListener() {})
                .results()
                .getLast();
        Map<String, Double> figures = JavaRunner.figures(result);
        Map<Metric, Double> measured = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            Double value = figures.get(metric.key());
            if (value != null && value > 0) {
                measured.put(metric, value);
            }
        }
        return measured;
    }

    @Override
    public Map<String, Long> counters() {
        return PortCounters.read(
                new MachineFiles(Path.of("/")),
                describe.environment().device(),
                describe.environment().devicePort());
    }

    /** The servers end with their clients or their timeouts. */
    @Override
    public void close() {}
}
