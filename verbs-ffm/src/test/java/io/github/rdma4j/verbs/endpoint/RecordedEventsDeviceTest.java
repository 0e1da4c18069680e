// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitingThread;
import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.internal.events.Recorded;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the JDK Flight Recorder events of connections, transfers, waits and memory. */
@Tag("device")
class RecordedEventsDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Consumer<EndpointConfig> SMALL =
            config -> config.receiveBuffers(4).sendDepth(4).ackTimeout(19);

    private final Recorded recorded = new Recorded();
    private final EndpointServer server = EndpointServer.bind(CmTestNet.ipv4(), SMALL);

    @AfterEach
    void close() {
        server.close();
        recorded.close();
    }

    private CompletableFuture<Endpoint> accept() {
        return CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
    }

    private static List<String> texts(List<RecordedEvent> events, String field) {
        return events.stream().map(event -> event.getString(field)).toList();
    }

    @Test
    void connectionsAreRecordedFromBothSidesWithTheirEnds() throws Exception {
        CompletableFuture<Endpoint> accepted = accept();
        String client;
        try (Endpoint endpoint = Endpoint.connect(server.address(), SMALL, PATIENCE);
                Endpoint atServer = accepted.join()) {
            client = endpoint.toString();
            // Not for a short time: a thread that is late would not wait at all.
            WaitingThread waiting = WaitingThread.in(false, () -> atServer.receive(PATIENCE));
            endpoint.close();
            assertThat(waiting.end()).isInstanceOf(ClosedByPeerException.class);
        }
        List<RecordedEvent> events = recorded.end();

        RecordedEvent connect = Recorded.of(events, "rdma4j.EndpointConnect").getFirst();
        assertThat(connect.getString("server")).isEqualTo(server.address().toString());
        assertThat(connect.getString("endpoint")).isEqualTo(client);
        assertThat(connect.getString("failure")).isNull();
        assertThat(connect.getDuration()).isPositive();
        RecordedEvent accept = Recorded.of(events, "rdma4j.EndpointAccept").getFirst();
        assertThat(accept.getString("server")).contains(server.address().toString());
        assertThat(accept.getString("endpoint")).contains(server.address().toString());
        assertThat(accept.getString("failure")).isNull();
        List<RecordedEvent> ends = Recorded.of(events, "rdma4j.EndpointEnd");
        assertThat(texts(ends, "reason")).containsExactlyInAnyOrder("closed by this side", "closed by the peer");
        assertThat(ends)
                .anySatisfy(end -> assertThat(end.getString("endpoint")).isEqualTo(client))
                .anySatisfy(end -> assertThat(end.getString("endpoint")).isEqualTo(accept.getString("endpoint")))
                .allSatisfy(end -> assertThat(end.getString("endpoint"))
                        .contains(server.address().toString()));
        assertThat(texts(Recorded.of(events, "rdma4j.EndpointWait"), "operation"))
                .anySatisfy(operation -> assertThat(operation).startsWith("receiving"));
        assertThat(texts(Recorded.of(events, "rdma4j.EventWait"), "operation")).isNotEmpty();
    }

    @Test
    void clientsThatGetNoConnectionAreRecordedWithTheReason() throws Exception {
        InetSocketAddress nobody = new InetSocketAddress(server.address().getAddress(), 1);
        assertThatThrownBy(() -> Endpoint.connect(nobody, SMALL, PATIENCE)).isInstanceOf(RuntimeException.class);
        CompletableFuture<Endpoint> accepted = accept();
        try (RawClient other = new RawClient(new byte[] {1, 2, 3})) {
            other.ask(server.address());
            try (Endpoint endpoint = Endpoint.connect(server.address(), SMALL, PATIENCE);
                    Endpoint atServer = accepted.join()) {
                assertThat(endpoint.isOpen() && atServer.isOpen()).isTrue();
            }
            // Its request may come to the server behind the other one's.
            long start = System.nanoTime();
            while (server.counters().incompatible() == 0 && System.nanoTime() - start < PATIENCE.toNanos()) {
                assertThat(server.accept(Duration.ofMillis(10))).isEmpty();
            }
        }
        List<RecordedEvent> events = recorded.end();

        assertThat(Recorded.of(events, "rdma4j.EndpointConnect")).anySatisfy(connect -> {
            assertThat(connect.getString("server")).isEqualTo(nobody.toString());
            assertThat(connect.getString("endpoint")).isNull();
            assertThat(connect.getString("failure")).contains("ConnectionRejectedException");
        });
        assertThat(texts(Recorded.of(events, "rdma4j.EndpointAccept"), "failure"))
                .anySatisfy(failure -> assertThat(failure).startsWith("refused: "));
    }

    @Test
    void failedTransferIsRecordedOnceWithItsExplanation() throws Exception {
        CompletableFuture<Endpoint> accepted = accept();
        try (Endpoint endpoint = Endpoint.connect(server.address(), SMALL, PATIENCE);
                Endpoint atServer = accepted.join()) {
            MemoryHandle wrong = new MemoryHandle(
                    new RemoteMemory(4096, 8, 1), Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC));
            // The first fails, and the others are flushed behind it.
            List<CompletableFuture<Long>> transfers = List.of(
                    endpoint.transfers().fetchAndAddAsync(wrong, 1),
                    endpoint.transfers().fetchAndAddAsync(wrong, 1),
                    endpoint.transfers().fetchAndAddAsync(wrong, 1));
            assertThat(transfers)
                    .allSatisfy(
                            transfer -> assertThatThrownBy(transfer::join).hasCauseInstanceOf(EndpointException.class));
            assertThat(atServer.isOpen()).isTrue();
        }
        List<RecordedEvent> events = recorded.end();

        List<RecordedEvent> failed = Recorded.of(events, "rdma4j.FailedTransfer");
        assertThat(failed).hasSize(1);
        assertThat(failed.getFirst().getString("status")).isEqualTo("REM_ACCESS_ERR");
        assertThat(failed.getFirst().getString("explanation")).contains("REM_ACCESS_ERR");
        assertThat(Recorded.of(events, "rdma4j.EndpointEnd"))
                .anySatisfy(end -> assertThat(end.getString("reason")).contains("REM_ACCESS_ERR"));
    }

    @Test
    void registrationsAreRecordedWithTheirLength() throws Exception {
        try (DeviceContext device = TestDevice.open();
                ProtectionDomain domain = device.allocateProtectionDomain()) {
            try (MemoryRegion region = domain.allocateMemory(12_288, AccessFlag.LOCAL_WRITE)) {
                assertThat(region.length()).isEqualTo(12_288);
            }
            MemorySegment nobodys = MemorySegment.ofAddress(4096).reinterpret(8192);
            assertThatThrownBy(() -> domain.registerMemory(nobodys, AccessFlag.LOCAL_WRITE))
                    .isInstanceOf(VerbsException.class);
            String name = device.device().name();
            List<RecordedEvent> events = recorded.end();

            assertThat(Recorded.of(events, "rdma4j.MemoryRegistration"))
                    .anySatisfy(registration -> {
                        assertThat(registration.getLong("length")).isEqualTo(12_288);
                        assertThat(registration.getInt("errno")).isZero();
                        assertThat(registration.getString("call")).startsWith("ibv_reg_mr(");
                        assertThat(registration.getString("device")).isEqualTo(name);
                    })
                    .anySatisfy(refusal -> {
                        assertThat(refusal.getLong("length")).isEqualTo(8192);
                        assertThat(refusal.getInt("errno")).isPositive();
                    });
            assertThat(Recorded.of(events, "rdma4j.MemoryDeregistration"))
                    .anySatisfy(end -> assertThat(end.getLong("length")).isEqualTo(12_288));
        }
    }
}
