// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
class RdmaMetersTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Path PAGE = Path.of("../../docs/monitoring.md");

    private final MeterRegistry registry = new SimpleMeterRegistry();

    @TempDir
    private Path devices;

    private double counter(String name, String... tags) {
        return registry.get(name).tags(tags).functionCounter().count();
    }

    private double gauge(String name, String... tags) {
        return registry.get(name).tags(tags).gauge().value();
    }

    @Test
    void endpointAndItsServer() throws Exception {
        Consumer<EndpointConfig> config =
                one -> one.transport(Transport.TCP).integrity(true).receiveBuffers(4);
        try (EndpointServer server = EndpointServer.bind(new InetSocketAddress("127.0.0.1", 0), config);
                RdmaMeters ofServer = RdmaMeters.ofServer(server, "server", "one")) {
            ofServer.bindTo(registry);
            assertThat(counter("rdma4j.server", "server", "one", "outcome", "accepted"))
                    .isZero();
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(TIMEOUT).orElseThrow());
            Endpoint client = Endpoint.connect(server.address(), config, TIMEOUT);
            RdmaMeters ofClient = RdmaMeters.ofEndpoint(client, "peer", "one");
            try (Endpoint peer = accepted.get();
                    RdmaMeters ofPeer = RdmaMeters.ofEndpoint(peer, "peer", "two")) {
                ofClient.bindTo(registry);
                ofPeer.bindTo(registry);
                for (int i = 0; i < 10; i++) {
                    client.send(MemorySegment.ofArray(new byte[100]), TIMEOUT);
                    peer.receive(TIMEOUT);
                }

                assertThat(counter("rdma4j.server", "outcome", "accepted")).isEqualTo(1);
                assertThat(counter("rdma4j.server", "outcome", "not_admitted")).isZero();
                assertThat(counter("rdma4j.endpoint.sent", "peer", "one")).isEqualTo(10);
                assertThat(counter("rdma4j.endpoint.received", "peer", "one")).isZero();
                assertThat(counter("rdma4j.endpoint.received", "peer", "two")).isEqualTo(10);
                assertThat(counter("rdma4j.endpoint.corrupt", "peer", "two")).isZero();
                assertThat(counter("rdma4j.endpoint.read.by.peer", "peer", "one"))
                        .isEqualTo(client.counters().readByPeer());
                assertThat(gauge("rdma4j.endpoint.rdma", "peer", "one")).isZero();
                assertThat(gauge("rdma4j.endpoint.open", "peer", "one")).isEqualTo(1);
                assertThat(registry.get("rdma4j.endpoint.sent")
                                .functionCounter()
                                .getId()
                                .getBaseUnit())
                        .isEqualTo("messages");
                thePageHasEachOfThem();
            }
            client.close();

            assertThat(gauge("rdma4j.endpoint.open", "peer", "one")).isZero();
            assertThat(counter("rdma4j.endpoint.sent", "peer", "one")).isEqualTo(10);
            assertThat(registry.find("rdma4j.endpoint.sent").tag("peer", "two").functionCounter())
                    .isNull();
            ofClient.close();
            ofClient.close();
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    private void thePageHasEachOfThem() throws IOException {
        String page = Files.readString(PAGE);
        for (Meter meter : registry.getMeters()) {
            assertThat(page).contains("| `" + meter.getId().getName() + "`");
        }
    }

    @Test
    void laterMetersReplaceThoseWithTheSameTags() throws Exception {
        write(devices.resolve("lost/mlx5_0/ports/1/counters/port_xmit_data"), "1\n");
        write(devices.resolve("next/mlx5_0/ports/1/counters/port_xmit_data"), "2\n");
        RdmaMeters lost = RdmaMeters.ofPorts(devices.resolve("lost"), "peer", "one");
        RdmaMeters next = RdmaMeters.ofPorts(devices.resolve("next"), "peer", "one");
        lost.bindTo(registry);
        next.bindTo(registry);
        assertThat(counter("rdma4j.port.counter")).isEqualTo(2);
        lost.close();
        assertThat(counter("rdma4j.port.counter")).isEqualTo(2);
        next.close();
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void portsOfEachDeviceByTheNamesOfTheirCounters() throws Exception {
        Path port = devices.resolve("mlx5_0/ports/1");
        write(port.resolve("state"), "4: ACTIVE\n");
        write(port.resolve("counters/port_xmit_data"), "123\n");
        write(port.resolve("counters/unsupported"), "N/A\n");
        write(port.resolve("hw_counters/out_of_sequence"), "18446744073709551615\n");
        write(port.resolve("hw_counters/lifespan"), "10\n");
        write(devices.resolve("rxe0/ports/1/state"), "1: DOWN\n");

        RdmaMeters meters = RdmaMeters.ofPorts(devices, "host", "here");
        meters.bindTo(registry);

        assertThat(registry.getMeters()).hasSize(4);
        assertThat(gauge("rdma4j.port.active", "device", "mlx5_0", "port", "1", "host", "here"))
                .isEqualTo(1);
        assertThat(gauge("rdma4j.port.active", "device", "rxe0")).isZero();
        assertThat(counter("rdma4j.port.counter", "device", "mlx5_0", "counter", "port_xmit_data"))
                .isEqualTo(123);
        assertThat(counter("rdma4j.port.counter", "counter", "out_of_sequence")).isPositive();
        thePageHasEachOfThem();

        write(port.resolve("counters/port_xmit_data"), "200\n");
        collectGarbage();
        assertThat(counter("rdma4j.port.counter", "counter", "port_xmit_data")).isEqualTo(200);
        Files.delete(port.resolve("counters/port_xmit_data"));
        Files.delete(port.resolve("state"));
        assertThat(gauge("rdma4j.port.active", "device", "mlx5_0")).isZero();
        meters.close();
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void metersOfWhichARegistryTakesAPartAloneAreTakenOutByClose() throws Exception {
        write(devices.resolve("mlx5_0/ports/1/state"), "4: ACTIVE\n");
        write(devices.resolve("mlx5_0/ports/1/counters/port_xmit_data"), "123\n");
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                if (id.getName().equals("rdma4j.port.counter")) {
                    throw new IllegalArgumentException("not this one");
                }
                return id;
            }
        });

        RdmaMeters meters = RdmaMeters.ofPorts(devices);
        assertThatThrownBy(() -> meters.bindTo(registry)).hasMessage("not this one");
        assertThat(registry.getMeters()).isNotEmpty();
        meters.close();
        assertThat(registry.getMeters()).isEmpty();
    }

    /** Registries refer weakly to what they ask. */
    private static void collectGarbage() {
        WeakReference<Object> other = new WeakReference<>(new Object());
        while (other.get() != null) {
            System.gc();
        }
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** A registry would find out at the first scrape, far from here. */
    @Test
    void nothingIsMadeOfANull() {
        assertThatThrownBy(() -> RdmaMeters.ofEndpoint(null)).hasMessage("endpoint");
        assertThatThrownBy(() -> RdmaMeters.ofServer(null)).hasMessage("server");
        assertThatThrownBy(() -> RdmaMeters.ofPorts((String[]) null)).hasMessage("tags");
    }

    @Test
    void withoutDevicesThereIsNothing() {
        RdmaMeters.ofPorts(devices.resolve("none")).bindTo(registry);

        assertThat(registry.getMeters()).isEmpty();
        assertThatThrownBy(() -> RdmaMeters.ofPorts("name without value")).isInstanceOf(IllegalArgumentException.class);
    }
}
