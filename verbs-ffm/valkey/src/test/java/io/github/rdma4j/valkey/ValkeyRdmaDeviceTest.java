// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.cm.ConnectionRejectedException;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ValkeyRdmaDeviceTest extends ValkeyCommands {
    @Override
    RedisClient client(RedisURI uri) {
        return RdmaRedisClient.create(uri);
    }

    @Test
    void sampleOfThePageRuns() {
        String server = address.getHostAddress();
        try (RedisClient client = RdmaRedisClient.create(RedisURI.create(server, 6379))) {
            RedisCommands<String, String> commands = client.connect().sync();
            commands.set("key", "value");
            assertThat(commands.get("key")).isEqualTo("value");
        }
    }

    private RawPeer rawClient() {
        SynchronousId id = SynchronousId.create(PortSpace.TCP);
        id.resolve(new InetSocketAddress(address, PORT), RawPeer.PATIENCE);
        RawPeer peer = new RawPeer(id);
        id.connect(config -> {}, RawPeer.PATIENCE);
        return peer;
    }

    @Test
    void serverAnswersClientOfOneWriteEach() {
        try (RawPeer raw = rawClient()) {
            raw.register();
            raw.send(RawPeer.message(0).array());
            raw.awaitControl(0);
            byte[] ping = "PING\r\n".getBytes(StandardCharsets.US_ASCII);
            raw.write(ping, ping.length);
            assertThat(raw.read()).asString().isEqualTo("+PONG\r\n");
        }
    }

    @Test
    void clientOfAnotherVersionDisturbsNoOther() {
        try (RawPeer raw = rawClient()) {
            raw.register();
            raw.send(RawPeer.message(9).array());
            assertThat(commands().ping()).isEqualTo("PONG");
            assertThat(server.log()).contains("unknown cmd");
        }
        assertThat(commands().ping()).isEqualTo("PONG");
    }

    @Test
    void serverWithoutRdmaRefuses() throws IOException {
        try (ServerSocket tcp = new ServerSocket(0, 1, address);
                RedisClient late = client(RedisURI.create(address.getHostAddress(), tcp.getLocalPort()))) {
            assertThatThrownBy(late::connect)
                    .isInstanceOf(RedisConnectionException.class)
                    .hasRootCauseInstanceOf(ConnectionRejectedException.class)
                    .cause()
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("nobody listens for RDMA at this address and port")
                    .hasMessageContaining("--rdma-bind");
        }
    }
}
