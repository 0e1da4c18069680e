// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.ChildJvm;
import io.github.rdma4j.verbs.SoftDevice;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.CmEventType;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A device is removed under its users, which rdma_cm notifies (RDMA_CM_EVENT_DEVICE_REMOVAL). */
@Tag("device")
@Tag("changes-machine")
@Timeout(600)
class DeviceRemovalDeviceTest {
    private static final SoftDevice DEVICE = new SoftDevice("taken", 8);
    /** The event or the adapter's silence, whichever is noticed first. */
    private static final String REASONS = ".*(the local device was removed|adapter no longer answers).*";

    @BeforeEach
    void aDeviceOfItsOwn() throws Exception {
        DEVICE.make();
    }

    @AfterEach
    void theDeviceGoes() throws Exception {
        DEVICE.close();
    }

    /** Runs both ends of several connections while their device is removed, and prints how each ends. */
    static final class User {
        private static final Duration PATIENCE = Duration.ofSeconds(60);

        private static final List<Endpoint> ENDPOINTS = new ArrayList<>();

        public static void main(String[] arguments) throws Throwable {
            EndpointGroup group = EndpointGroup.open(4);
            EndpointServer server = bind(config -> {});
            EndpointServer grouped = bind(config -> config.group(group));
            EndpointServer either = bind(config -> config.transport(Transport.RDMA_OR_TCP));
            for (EndpointServer each : List.of(server, grouped, either)) {
                connect(
                        each,
                        config -> config.transport(either == each ? Transport.RDMA_OR_TCP : Transport.RDMA)
                                .rdmaTimeout(PATIENCE));
            }
            connect(grouped, config -> config.group(group));
            for (int i = 0; i < ENDPOINTS.size(); i += 2) {
                exchange(ENDPOINTS.get(i), ENDPOINTS.get(i + 1));
            }
            SynchronousId id = SynchronousId.create(PortSpace.TCP);
            id.resolve(server.address(), PATIENCE);
            Disassociation.from(DEVICE.name());
            Process removal = new ProcessBuilder("rdma", "link", "del", DEVICE.name()).start();

            for (Endpoint endpoint : ENDPOINTS) {
                // The first may be the adapter's own failure.
                report("first", () -> endpoint.receive(PATIENCE));
                report("endpoint", () -> endpoint.receive(PATIENCE));
            }
            report("server", () -> server.accept(PATIENCE));
            report("grouped", () -> grouped.accept(PATIENCE));
            id.id()
                    .channel()
                    .nextEvent(PATIENCE)
                    .ifPresent(event -> System.out.println("id: " + (event.type() == CmEventType.DEVICE_REMOVAL)));
            either.accept(Duration.ZERO);
            System.out.println("either: " + either.rdmaFailure().orElseThrow().getMessage());
            connect(either, config -> config.transport(Transport.TCP));
            System.out.println("over TCP: " + exchange(ENDPOINTS.getLast(), ENDPOINTS.get(ENDPOINTS.size() - 2)));

            List<AutoCloseable> all = new ArrayList<>(ENDPOINTS);
            all.addAll(List.of(server, grouped, either, id));
            close(all);
            System.out.println("in the group: " + group.size());
            // The kernel waits for the ids.
            System.out.println("removed: " + removal.waitFor(60, TimeUnit.SECONDS));
            // This happens after a reset of an adapter or a reload of its driver.
            DEVICE.add();
            EndpointServer again = bind(config -> config.group(group));
            connect(again, config -> config.group(group));
            Endpoint client = ENDPOINTS.get(ENDPOINTS.size() - 2);
            System.out.println("again: " + exchange(client, ENDPOINTS.getLast()));
            close(List.of(client, ENDPOINTS.getLast(), again, group));
        }

        private static boolean exchange(Endpoint from, Endpoint to) {
            return from.send(new byte[] {1}, PATIENCE) && to.receive(PATIENCE).isPresent();
        }

        private static void close(List<? extends AutoCloseable> all) throws Exception {
            for (AutoCloseable each : all) {
                report("closed", () -> {
                    each.close();
                    return "well";
                });
            }
        }

        private static EndpointServer bind(Consumer<EndpointConfig> configuration) {
            return EndpointServer.bind(DEVICE.address(), config -> {
                small(config);
                configuration.accept(config);
            });
        }

        private static void small(EndpointConfig config) {
            config.receiveBuffers(4).sendDepth(4).maxMessageSize(64);
        }

        private static void connect(EndpointServer server, Consumer<EndpointConfig> configuration) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            ENDPOINTS.add(Endpoint.connect(
                    server.address(),
                    config -> {
                        small(config);
                        configuration.accept(config);
                    },
                    PATIENCE));
            ENDPOINTS.add(accepted.join());
        }

        private interface Call {
            Object make() throws Exception;
        }

        private static void report(String who, Call call) throws Exception {
            try {
                System.out.println(who + ": " + call.make());
            } catch (VerbsException e) {
                System.out.println(who + ": " + e.getClass().getSimpleName() + " " + e.getMessage());
            }
        }
    }

    @Test
    void allEndpointsFailAndCanBeClosed() throws Exception {
        List<String> command = new ArrayList<>(List.of("env", "RDMAV_ALLOW_DISASSOC_DESTROY=1"));
        command.addAll(ChildJvm.command(User.class.getName(), List.of()));
        List<String> lines = ChildJvm.run(command);
        String all = String.join("\n", lines);
        assertThat(lines.stream().filter(line -> line.startsWith("endpoint: ")))
                .as(all)
                .hasSize(8)
                .allSatisfy(line ->
                        assertThat(line).contains("ConnectionLostException").matches(REASONS));
        assertThat(lines.stream().filter(line -> line.matches("(server|grouped): .*")))
                .as(all)
                .hasSize(2)
                .allSatisfy(line ->
                        assertThat(line).contains("VerbsException", "it receives no more clients", "bind it again"));
        assertThat(lines).contains("id: true", "over TCP: true", "in the group: 0", "removed: true", "again: true");
        assertThat(lines.stream().filter(line -> line.startsWith("either: ")))
                .as(all)
                .singleElement()
                .asString()
                .contains("it receives no more clients", "Clients come over TCP alone");
        assertThat(lines.stream().filter(line -> line.startsWith("closed: ")))
                .as(all)
                .hasSize(10 + 4 + 4)
                .allMatch(line -> line.equals("closed: well"));
    }
}
