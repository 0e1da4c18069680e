// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.RdmaAddress;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.plan.Shape;
import io.github.rdma4j.perftest.wire.SystemData;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The queue pairs of a test, connected by rdma_cm. */
@Tag("device")
@Tag("iwarp")
@Timeout(600)
class CmConnectionsDeviceTest {
    private static final SystemData LAYOUT = SystemData.ofThisMachine();

    /** One side of a test that has reached the connect step. */
    private record Side(RunDevice device, RunResources resources, CmConnections connections) implements AutoCloseable {
        static Side of(String... last) {
            List<String> words = List.of(("-R -q 2 -s 64 --timeout 120 -p 19090 " + String.join(" ", last))
                    .strip()
                    .split(" "));
            RunParameters parameters = RunParameters.parse(Tool.WRITE_BANDWIDTH, words);
            RunDevice device = RunDevice.open(parameters);
            Shape shape = Shape.of(parameters, device.mtu().bytes());
            return new Side(
                    device,
                    new RunResources(device, parameters, shape, LAYOUT),
                    new CmConnections(
                            parameters,
                            device,
                            parameters.isServer()
                                    ? null
                                    : parameters
                                            .peer()
                                            .meetingPoint()
                                            .addresses()
                                            .getFirst()));
        }

        void connect() {
            resources.connect(connections);
        }

        @Override
        public void close() {
            connections.close();
            resources.close();
            device.close();
        }
    }

    /** A C server announces that it listens a moment before it does. */
    @Test
    void clientWaitsForAServerThatListensLate() throws Exception {
        try (Side server = Side.of();
                Side client = Side.of(RdmaAddress.ofFirstDevice())) {
            CompletableFuture<Void> connecting = CompletableFuture.runAsync(client::connect);
            Thread.sleep(300);
            assertThat(connecting).isNotDone();
            server.connections.listen();
            server.connect();
            connecting.get(60, TimeUnit.SECONDS);
        }
    }
}
