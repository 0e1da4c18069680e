// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import io.github.rdma4j.verbs.cm.CmTestNet;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures Lettuce over RDMA and over TCP with one server of this machine. Alternates between the two, and prints the
 * fastest of each. Over SoftRoCE the kernel does the work of an adapter.
 *
 * <pre>{@code
 * cd verbs-ffm/valkey
 * ../../scripts/softroce --accel uml java -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED \
 *     -Drdma4j.valkey="$(../../scripts/lib/valkey-server)" \
 *     -cp "target/test-classes:target/classes:$(cat target/test-classpath.txt)" io.github.rdma4j.valkey.LettuceRun
 * }</pre>
 */
final class LettuceRun {
    private static final int ROUNDS = 5;
    private static final int PINGS = 1000;
    private static final int PIPELINED = 20_000;
    private static final byte[] KEY = {1};
    private static final byte[] MEGABYTE = new byte[1_000_000];
    private static final int MEGABYTES = 20;

    private LettuceRun() {}

    public static void main(String[] arguments) throws Exception {
        InetAddress address = CmTestNet.addresses().getFirst();
        RedisURI uri = RedisURI.create(address.getHostAddress(), ValkeyCommands.PORT);
        uri.setTimeout(Duration.ofMinutes(5));
        try (ValkeyServer server = ValkeyServer.start(address, ValkeyCommands.PORT);
                RedisClient rdma = RdmaRedisClient.create(uri);
                RedisClient tcp = RedisClient.create(uri)) {
            List<StatefulRedisConnection<byte[], byte[]>> connections =
                    List.of(rdma.connect(ByteArrayCodec.INSTANCE), tcp.connect(ByteArrayCodec.INSTANCE));
            double[][] best = new double[2][3];
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < best.length; i++) {
                    StatefulRedisConnection<byte[], byte[]> connection = connections.get(i);
                    best[i][0] = Math.max(best[i][0], perSecond(PINGS, () -> pings(connection)));
                    best[i][1] = Math.max(best[i][1], perSecond(PIPELINED, () -> pipeline(connection)));
                    best[i][2] = Math.max(best[i][2], perSecond(MEGABYTES, () -> values(connection)));
                }
            }
            for (int i = 0; i < best.length; i++) {
                System.out.printf(
                        "%s: %.0f pings/s one after another, %.0f pings/s pipelined, %.0f MB/s set and read%n",
                        i == 0 ? "RDMA" : "TCP", best[i][0], best[i][1], 2 * best[i][2]);
            }
        }
    }

    private static double perSecond(int count, Runnable work) {
        long start = System.nanoTime();
        work.run();
        return count * 1e9 / (System.nanoTime() - start);
    }

    private static void pings(StatefulRedisConnection<byte[], byte[]> connection) {
        for (int i = 0; i < PINGS; i++) {
            connection.sync().ping();
        }
    }

    private static void pipeline(StatefulRedisConnection<byte[], byte[]> connection) {
        List<RedisFuture<String>> replies = new ArrayList<>();
        connection.setAutoFlushCommands(false);
        for (int i = 1; i <= PIPELINED; i++) {
            replies.add(connection.async().ping());
            if (i % 100 == 0) {
                connection.flushCommands();
            }
        }
        connection.setAutoFlushCommands(true);
        if (!LettuceFutures.awaitAll(ValkeyCommands.PATIENCE, replies.toArray(RedisFuture[]::new))) {
            throw new IllegalStateException("no reply");
        }
    }

    private static void values(StatefulRedisConnection<byte[], byte[]> connection) {
        for (int i = 0; i < MEGABYTES; i++) {
            connection.sync().set(KEY, MEGABYTE);
            if (connection.sync().get(KEY).length != MEGABYTE.length) {
                throw new IllegalStateException("another value");
            }
        }
    }
}
