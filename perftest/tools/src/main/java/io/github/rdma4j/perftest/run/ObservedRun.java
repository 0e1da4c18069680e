// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.placement.CpuUsage;
import io.github.rdma4j.perftest.placement.PortCounters;
import io.github.rdma4j.perftest.result.Observation;
import io.github.rdma4j.perftest.result.RunInfo;
import io.github.rdma4j.perftest.result.RunListener;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.wire.PeerKeys;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Forwards a test's events to its listener, and adds the requested observations of the machine to each result. */
final class ObservedRun implements RunListener {
    private final RunListener listener;
    private final CpuUsage cpu;
    private final PortCounters counters;
    private final List<Observation> observations = new ArrayList<>();

    private ObservedRun(RunListener listener, CpuUsage cpu, PortCounters counters) {
        this.listener = listener;
        this.cpu = cpu;
        this.counters = counters;
    }

    /**
     * Creates the observations for the parameters of a test.
     *
     * @param device name of the device
     * @throws IllegalParameterException when the device has no such counter
     */
    static ObservedRun of(RunListener listener, RunParameters parameters, String device) {
        List<String> names = parameters.placement().counters();
        try {
            return new ObservedRun(
                    listener,
                    parameters.placement().cpuUtilisation() ? new CpuUsage() : null,
                    names.isEmpty()
                            ? null
                            : PortCounters.open(device, parameters.path().devicePort(), names));
        } catch (IllegalArgumentException failure) {
            throw new IllegalParameterException(failure.getMessage());
        }
    }

    /** Returns one observation for each result, in the order of results; empty without observers. */
    List<Observation> observations() {
        return observations;
    }

    @Override
    public void note(String line) {
        listener.note(line);
    }

    @Override
    public void environment(Instant started, Environment environment) {
        listener.environment(started, environment);
    }

    @Override
    public void waiting(int port) {
        listener.waiting(port);
    }

    @Override
    public void agreed(RunInfo info) {
        listener.agreed(info);
    }

    @Override
    public void address(boolean local, PeerKeys keys) {
        listener.address(local, keys);
    }

    @Override
    public void begin(RunInfo info) {
        if (counters != null) {
            // Skip the changes during the warm-up.
            counters.changes();
        }
        listener.begin(info);
    }

    @Override
    public void sampling(boolean begins) {
        if (cpu != null) {
            if (begins) {
                cpu.begin();
            } else {
                cpu.end();
            }
        }
        listener.sampling(begins);
    }

    @Override
    public void progress(long size, long messages, long total, long elapsedNanoseconds) {
        listener.progress(size, messages, total, elapsedNanoseconds);
    }

    @Override
    public void observed(Observation observation) {
        listener.observed(observation);
    }

    @Override
    public void result(SizeResult result) {
        if (cpu != null || counters != null) {
            Observation observation = new Observation(
                    cpu == null ? Double.NaN : cpu.percent(), counters == null ? Map.of() : counters.changes());
            observations.add(observation);
            listener.observed(observation);
        }
        listener.result(result);
    }

    @Override
    public void end() {
        listener.end();
    }
}
