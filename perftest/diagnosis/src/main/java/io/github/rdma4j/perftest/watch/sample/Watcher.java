// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch.sample;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Remembers the last samples, to find the changes in the next ones. For use by one thread. */
public final class Watcher {
    private final Sampler sampler;
    private List<PortSample> last;
    private long lastNanos;

    /** Takes the first samples. */
    public Watcher(Sampler sampler, long nanoTime) {
        this.sampler = sampler;
        this.last = sampler.sample();
        this.lastNanos = nanoTime;
    }

    /**
     * Takes samples again.
     *
     * @param nanoTime the time from {@link System#nanoTime()}
     */
    public Seen sample(long nanoTime) {
        List<PortSample> now = sampler.sample();
        Duration time = Duration.ofNanos(Math.max(1, nanoTime - lastNanos));
        List<Change> changes = now.stream()
                .map(sample -> new Change(find(last, sample), sample, time))
                .toList();
        List<String> worse = new ArrayList<>(
                changes.stream().flatMap(change -> change.worse().stream()).toList());
        last.stream()
                .filter(sample -> find(now, sample).isEmpty())
                .forEach(gone -> worse.add(gone.name() + ": the device has gone"));
        last = now;
        lastNanos = nanoTime;
        return new Seen(changes, worse);
    }

    private static Optional<PortSample> find(List<PortSample> samples, PortSample wanted) {
        return samples.stream()
                .filter(sample -> sample.name().equals(wanted.name()))
                .findFirst();
    }

    /**
     * The result of one sample.
     *
     * @param ports each existing port
     * @param worse a line for each thing that got worse since the previous sample
     */
    public record Seen(List<Change> ports, List<String> worse) {
        /** Copies the lists. */
        public Seen {
            ports = List.copyOf(ports);
            worse = List.copyOf(worse);
        }
    }
}
