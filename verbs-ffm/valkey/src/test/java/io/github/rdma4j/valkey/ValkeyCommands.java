// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.cm.CmTestNet;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.io.File;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lettuce and the Valkey server of C: the same tests over each transport. */
@Tag("device")
@Tag("full")
abstract class ValkeyCommands {
    static final int PORT = 6379;
    static final Duration PATIENCE = Duration.ofMinutes(10);

    final InetAddress address = CmTestNet.addresses().getFirst();
    ValkeyServer server;
    private RedisClient client;
    private StatefulRedisConnection<String, String> connection;

    abstract RedisClient client(RedisURI uri);

    @BeforeEach
    void connect() throws Exception {
        server = ValkeyServer.start(address, PORT);
        client = client(RedisURI.builder()
                .withHost(address.getHostAddress())
                .withPort(PORT)
                .withTimeout(PATIENCE)
                .build());
        connection = client.connect();
    }

    RedisCommands<String, String> commands() {
        return connection.sync();
    }

    @AfterEach
    void close() throws Exception {
        if (client != null) {
            client.shutdown();
        }
        server.close();
    }

    @Test
    void repliesArriveInOrder() {
        RedisCommands<String, String> commands = commands();
        assertThat(commands.ping()).isEqualTo("PONG");
        assertThat(commands.set("key", "value")).isEqualTo("OK");
        assertThat(commands.get("key")).isEqualTo("value");
        assertThat(commands.get("no key")).isNull();
    }

    @Test
    void pipelinedCommandsAreAllExecuted() throws Exception {
        RedisAsyncCommands<String, String> commands = connection.async();
        int count = 20_000;
        for (boolean flushEach : new boolean[] {true, false}) {
            connection.setAutoFlushCommands(flushEach);
            commands.del("counter");
            List<RedisFuture<Long>> replies = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                replies.add(commands.incr("counter"));
            }
            connection.flushCommands();
            assertThat(LettuceFutures.awaitAll(PATIENCE, replies.toArray(RedisFuture[]::new)))
                    .isTrue();
            for (int i = 0; i < count; i++) {
                assertThat(replies.get(i).get()).isEqualTo(i + 1);
            }
        }
    }

    @Test
    void valuesOfEachSizeComeBack() {
        try (StatefulRedisConnection<byte[], byte[]> bytes = client.connect(ByteArrayCodec.INSTANCE)) {
            Random random = new Random(7);
            byte[] key = {1};
            // Around the lengths of our writes, and of the rings of both sides.
            for (int size :
                    new int[] {0, 1, 4095, 131_071, 131_072, 131_073, 524_288, 1_048_575, 1_048_576, 3_000_017}) {
                byte[] value = new byte[size];
                random.nextBytes(value);
                assertThat(bytes.sync().set(key, value)).isEqualTo("OK");
                assertThat(bytes.sync().get(key)).as("%d bytes", size).isEqualTo(value);
            }
        }
    }

    @Test
    void valueOf100MegabytesComesBack() {
        try (StatefulRedisConnection<byte[], byte[]> bytes = client.connect(ByteArrayCodec.INSTANCE)) {
            byte[] value = new byte[100_000_000];
            new Random(8).nextBytes(value);
            byte[] key = {2};
            assertThat(bytes.sync().set(key, value)).isEqualTo("OK");
            assertThat(bytes.sync().strlen(key)).isEqualTo(value.length);
            assertThat(Arrays.equals(bytes.sync().get(key), value)).isTrue();
        }
    }

    @Test
    void publishedMessagesArriveInOrder() throws Exception {
        int count = 5000;
        BlockingQueue<String> arrived = new LinkedBlockingQueue<>();
        try (StatefulRedisPubSubConnection<String, String> subscriber = client.connectPubSub()) {
            subscriber.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String channel, String message) {
                    arrived.add(message);
                }
            });
            subscriber.sync().subscribe("topic");
            for (int i = 0; i < count; i++) {
                connection.async().publish("topic", Integer.toString(i));
            }
            List<String> messages = new ArrayList<>();
            while (messages.size() < count) {
                String message = arrived.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(message).as("message %d", messages.size()).isNotNull();
                messages.add(message);
            }
            assertThat(messages)
                    .isEqualTo(IntStream.range(0, count)
                            .mapToObj(Integer::toString)
                            .toList());
        }
    }

    @Test
    void clientReconnectsToRestartedServer() throws Exception {
        connection.sync().set("key", "value");
        server.close();
        server = ValkeyServer.start(address, PORT);
        // Sent again after the reconnect, if need be.
        assertThat(connection.sync().get("key")).isNull();
        assertThat(connection.sync().set("key", "second")).isEqualTo("OK");
    }

    @Test
    void clientBeyondTheLimitIsRefused() {
        commands().configSet("maxclients", "1");
        // Over TCP the server also sends the reason, and over RDMA it cannot yet.
        assertThatThrownBy(client::connect).isInstanceOf(RedisConnectionException.class);
        assertThat(commands().ping()).isEqualTo("PONG");
    }

    @Test
    void killedClientLeavesTheServer() throws Exception {
        Process killed = new ProcessBuilder(
                        System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SubscribedClient.class.getName(),
                        getClass().getName(),
                        address.getHostAddress())
                .redirectErrorStream(true)
                .start();
        try {
            assertThat(killed.inputReader().lines().anyMatch(SubscribedClient.READY::equals))
                    .isTrue();
            assertThat(subscribers()).isEqualTo(1);
        } finally {
            killed.destroyForcibly().waitFor();
        }
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (subscribers() > 0 && System.nanoTime() - end < 0) {
            Thread.sleep(20);
        }
        assertThat(subscribers()).isZero();
        assertThat(connection.sync().ping()).isEqualTo("PONG");
    }

    private long subscribers() {
        return connection.sync().pubsubNumsub(SubscribedClient.CHANNEL).get(SubscribedClient.CHANNEL);
    }

    @Test
    void commandsWaitForBusyServer() {
        // More writes than the server has receives, while it looks at none.
        int count = 5000;
        List<RedisFuture<String>> replies = new ArrayList<>();
        try (StatefulRedisConnection<String, String> other = client.connect()) {
            RedisFuture<String> sleep = other.async()
                    .dispatch(
                            CommandType.DEBUG,
                            new StatusOutput<>(StringCodec.UTF8),
                            new CommandArgs<>(StringCodec.UTF8).add("SLEEP").add(4));
            for (int i = 0; i < count; i++) {
                replies.add(connection.async().ping());
            }
            assertThat(LettuceFutures.awaitAll(PATIENCE, replies.toArray(RedisFuture[]::new)))
                    .isTrue();
            assertThat(replies).allSatisfy(reply -> assertThat(reply.get()).isEqualTo("PONG"));
            assertThat(LettuceFutures.awaitOrCancel(sleep, PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                    .isEqualTo("OK");
        }
    }

    /** The main class of a client that is killed. */
    static final class SubscribedClient {
        static final String READY = "subscribed";
        static final String CHANNEL = "of the killed client";

        private SubscribedClient() {}

        public static void main(String[] arguments) throws Exception {
            ValkeyCommands tests = (ValkeyCommands)
                    Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
            RedisClient client = tests.client(RedisURI.create(arguments[1], PORT));
            client.connectPubSub().sync().subscribe(CHANNEL);
            System.out.println(READY);
            Thread.currentThread().join();
        }
    }
}
