// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.micrometer;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.IntegrityCounters;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * What this library and the kernel count, as meters of Micrometer: of an endpoint, of a server, or of all ports of this
 * machine's RDMA devices. Nothing is added to the way of a message: a registry that is read asks for the counters.
 * docs/monitoring.md lists the meters.
 *
 * <p>{@link #close} takes the meters out of all registries again. Do so when an endpoint has ended: a registry does not
 * keep it from being collected, but keeps the meters, whose value is then the last one or none.
 *
 * <p>Thread safety: all methods may be called from any thread. Reading a meter of an endpoint takes the endpoint's lock
 * for a moment.
 *
 * @since 0.1.0
 */
public final class RdmaMeters implements MeterBinder, AutoCloseable {
    private static final Path DEVICES = Path.of("/sys/class/infiniband");

    private final Tags tags;
    private final Consumer<Binding> meters;
    private final List<Binding> bindings = new ArrayList<>();

    private RdmaMeters(String[] tags, Consumer<Binding> meters) {
        this.tags = Tags.of(Objects.requireNonNull(tags, "tags"));
        this.meters = meters;
    }

    /** The meters in one registry. */
    record Binding(MeterRegistry registry, Tags tags, List<Meter> meters) {
        <T> void counter(String name, String unit, String description, Tags all, T object, ToDoubleFunction<T> value) {
            makeRoom(name, all, Meter.Type.COUNTER);
            meters.add(FunctionCounter.builder(name, object, value)
                    .tags(all)
                    .baseUnit(unit)
                    .description(description)
                    .register(registry));
        }

        <T> void gauge(String name, String description, Tags all, T object, ToDoubleFunction<T> value) {
            makeRoom(name, all, Meter.Type.GAUGE);
            meters.add(Gauge.builder(name, object, value)
                    .tags(all)
                    .description(description)
                    .register(registry));
        }

        /** A registry would keep the meter of the endpoint before this one, and give it back as the new one. */
        private void makeRoom(String name, Tags all, Meter.Type type) {
            registry.removeByPreFilterId(new Meter.Id(name, all, null, null, type));
        }

        /** Takes out what nobody has taken the place of: a registry would remove by name and tags. */
        void remove() {
            for (Meter meter : meters) {
                Meter.Id id = meter.getId();
                if (registry.find(id.getName()).tags(id.getTags()).meters().stream()
                        .anyMatch(there -> there == meter)) {
                    registry.remove(meter);
                }
            }
        }
    }

    /**
     * Meters of an endpoint: messages sent, read by the peer, and received; those with a wrong sum; whether it is over
     * RDMA. They go on after its end, so that the last values say what became of the messages.
     *
     * @param endpoint that is counted
     * @param tags pairs of a name and a value, which distinguish this endpoint from others in the registry
     * @return to be bound to a registry
     * @throws IllegalArgumentException if a tag has no value
     */
    public static RdmaMeters ofEndpoint(Endpoint endpoint, String... tags) {
        Objects.requireNonNull(endpoint, "endpoint");
        return new RdmaMeters(tags, to -> {
            messages(to, endpoint, "sent", "Sent", one -> one.counters().sent());
            messages(
                    to,
                    endpoint,
                    "read.by.peer",
                    "Read by the peer",
                    one -> one.counters().readByPeer());
            messages(
                    to,
                    endpoint,
                    "received",
                    "That have arrived",
                    one -> one.counters().received());
            messages(to, endpoint, "corrupt", "That came with a wrong sum", RdmaMeters::corrupt);
            state(to, endpoint, "rdma", "1 over RDMA, 0 over TCP", one -> one.transport() == Transport.RDMA);
            state(to, endpoint, "open", "1 until it is closed, then 0", Endpoint::isOpen);
        });
    }

    private static double corrupt(Endpoint endpoint) {
        return endpoint.integrity().map(IntegrityCounters::corrupt).orElse(0L);
    }

    private static void messages(Binding to, Endpoint one, String name, String what, ToDoubleFunction<Endpoint> count) {
        to.counter("rdma4j.endpoint." + name, "messages", what, to.tags(), one, count);
    }

    private static void state(Binding to, Endpoint one, String name, String what, Predicate<Endpoint> holds) {
        to.gauge("rdma4j.endpoint." + name, what, to.tags(), one, endpoint -> holds.test(endpoint) ? 1 : 0);
    }

    /**
     * Meters of a server: clients accepted, not admitted, incompatible, and given up.
     *
     * @param server whose clients are counted
     * @param tags pairs of a name and a value
     * @return to be bound to a registry
     * @throws IllegalArgumentException if a tag has no value
     */
    public static RdmaMeters ofServer(EndpointServer server, String... tags) {
        Objects.requireNonNull(server, "server");
        return new RdmaMeters(tags, to -> {
            outcome(to, server, "accepted", one -> one.counters().accepted());
            outcome(to, server, "not_admitted", one -> one.counters().notAdmitted());
            outcome(to, server, "incompatible", one -> one.counters().incompatible());
            outcome(to, server, "gave_up", one -> one.counters().gaveUp());
        });
    }

    private static void outcome(
            Binding to, EndpointServer server, String outcome, ToDoubleFunction<EndpointServer> count) {
        Tags tags = to.tags().and("outcome", outcome);
        to.counter("rdma4j.server", "clients", "By what became of them", tags, server, count);
    }

    /**
     * Meters of all ports that this machine's RDMA devices have when the meters are bound: each counter of the kernel
     * and of the driver, by its name in sysfs, and whether the port is active. No device is opened, and no rights are
     * needed. Of a device that is gone the counters have no values, and no port is active.
     *
     * @param tags pairs of a name and a value
     * @return to be bound to a registry
     * @throws IllegalArgumentException if a tag has no value
     */
    public static RdmaMeters ofPorts(String... tags) {
        return ofPorts(DEVICES, tags);
    }

    static RdmaMeters ofPorts(Path devices, String... tags) {
        return new RdmaMeters(tags, to -> PortMeters.bind(to, devices));
    }

    /**
     * Adds the meters to a registry. They can be in several registries. They replace meters with the same tags, such
     * as the meters of a lost endpoint.
     */
    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        Binding binding = new Binding(registry, tags, new ArrayList<>());
        // Before: of meters that a registry has refused in part, close takes out the rest.
        bindings.add(binding);
        meters.accept(binding);
    }

    /** Takes the meters out of each registry, but where others have taken their place. A second call does nothing. */
    @Override
    public synchronized void close() {
        bindings.forEach(Binding::remove);
        bindings.clear();
    }
}
