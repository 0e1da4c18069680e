// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import io.github.rdma4j.perftest.compare.peer.ServedMachine;
import io.github.rdma4j.perftest.compare.plan.OwnPort;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.result.Conditions;
import io.github.rdma4j.perftest.compare.result.HostGpu;
import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.compare.result.ServerMachine;
import io.github.rdma4j.perftest.compare.runner.JavaRunner;
import io.github.rdma4j.perftest.compare.runner.ServerEnd;
import io.github.rdma4j.perftest.compare.runner.ThreadServers;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import io.github.rdma4j.perftest.doctor.peer.PortCounters;
import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.result.GpuInfo;
import io.github.rdma4j.perftest.result.RunListener;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.run.ToolRun;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * This machine as a host of a mesh. The tools run in this JVM, because only one end of a pair is here.
 *
 * @param describe its description
 * @param servers its servers
 * @param gpu the options that choose its GPU; empty without one
 */
record MeshHost(ServerMachine describe, ServerEnd servers, List<String> gpu) implements ServedMachine {
    /**
     * Prepares this machine.
     *
     * @param own its RDMA port
     * @param plan what rank 0 may order
     * @param address the address of this machine by which it reaches rank 0
     */
    static MeshHost of(OwnPort own, MeshPlan plan, InetAddress address) {
        Conditions conditions =
                Conditions.read(own.device(), own.devicePort(), own.gidIndex(), address, "", Path.of(""));
        ServerMachine description = new ServerMachine(
                address.getHostAddress(),
                Environment.hostName(),
                conditions.environment(),
                "",
                false,
                false,
                gpu(plan, conditions));
        return new MeshHost(description, new ThreadServers(), plan.gpu());
    }

    /** Finds the path to the GPU's memory. A host without a GPU takes part with its host memory. */
    private static HostGpu gpu(MeshPlan plan, Conditions conditions) {
        if (plan.gpu().isEmpty()) {
            return new HostGpu(null, null, "its command line has no --use_cuda");
        }
        Environment environment = conditions.environment();
        RunOrder order = plan.order(Probe.GPU_LATENCY, true, 1, false)
                .at(environment.device(), environment.devicePort(), environment.gidIndex());
        try {
            GpuInfo info = ToolRun.gpuPath(order.serverParameters());
            return new HostGpu(
                    info.gpu(),
                    info.path(),
                    info.refused().stream()
                            .map(refused -> "not " + refused.path() + ": " + refused.why())
                            .collect(Collectors.joining("; ")));
        } catch (PerftestException | IllegalParameterException failure) {
            return new HostGpu(null, null, failure.getMessage());
        }
    }

    @Override
    public RunOrder here(RunOrder order) {
        return ServedMachine.super.here(order).onGpu(order.gpu().isEmpty() ? List.of() : gpu);
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
