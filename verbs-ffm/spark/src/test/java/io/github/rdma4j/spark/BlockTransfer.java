// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.netty.RdmaSocketChannel;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.handler.ssl.SslHandler;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.spark.network.TransportContext;
import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.client.ChunkReceivedCallback;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.StreamCallback;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.client.TransportClientBootstrap;
import org.apache.spark.network.client.TransportClientFactory;
import org.apache.spark.network.crypto.AuthClientBootstrap;
import org.apache.spark.network.crypto.AuthServerBootstrap;
import org.apache.spark.network.sasl.SecretKeyHolder;
import org.apache.spark.network.server.RpcHandler;
import org.apache.spark.network.server.StreamManager;
import org.apache.spark.network.server.TransportServer;
import org.apache.spark.network.server.TransportServerBootstrap;
import org.apache.spark.network.ssl.SslSampleConfigs;
import org.apache.spark.network.util.MapConfigProvider;
import org.apache.spark.network.util.TransportConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spark's own server and client of blocks, in the mode RDMA. */
abstract class BlockTransfer {
    private static final long STREAM = 7;
    private static final int FILE_BYTES = 3_000_017;
    /** The segments of the file that are chunks: offset and length. Some are as long as one of our messages. */
    private static final int[][] SEGMENTS = {
        {0, FILE_BYTES}, {13, 1}, {5, 32_768}, {100, 32_768 - 21}, {1, 65_536}, {70_000, 131_072}, {2_999_999, 18}
    };

    private static final int BEYOND_THE_END = 100;
    private static final int IN_MEMORY = 101;

    @TempDir
    Path folder;

    private byte[] content;
    private File file;
    private TransportContext context;
    private TransportServer server;
    private TransportClientFactory clients;
    private final CompletableFuture<byte[]> uploaded = new CompletableFuture<>();

    /** Where the server is. */
    abstract InetAddress address();

    /** The transport that a channel between two of these addresses must have. */
    abstract Transport transport();

    @BeforeAll
    static void change() {
        ChangedSpark.load();
    }

    @BeforeEach
    void write() throws IOException {
        content = new byte[FILE_BYTES];
        new Random(11).nextBytes(content);
        file = folder.resolve("shuffle.data").toFile();
        Files.write(file.toPath(), content);
    }

    @AfterEach
    void close() {
        clients.close();
        server.close();
        context.close();
    }

    private void start(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "spark.shuffle.io.mode",
                "rdma",
                "spark.shuffle.io.serverThreads",
                "2",
                "spark.shuffle.io.clientThreads",
                "2"));
        settings.putAll(more);
        TransportConf conf = new TransportConf("shuffle", new MapConfigProvider(settings));
        context = new TransportContext(conf, new Service(conf));
        List<TransportServerBootstrap> accepting = List.of();
        List<TransportClientBootstrap> connecting = List.of();
        if (conf.encryptionEnabled()) {
            SecretKeyHolder secret = new SecretKeyHolder() {
                @Override
                public String getSaslUser(String application) {
                    return "user";
                }

                @Override
                public String getSecretKey(String application) {
                    return "secret";
                }
            };
            accepting = List.of(new AuthServerBootstrap(conf, secret));
            connecting = List.of(new AuthClientBootstrap(conf, "application", secret));
        }
        server = context.createServer(address().getHostAddress(), 0, accepting);
        clients = context.createClientFactory(connecting);
    }

    private TransportClient client() throws Exception {
        TransportClient client = clients.createClient(address().getHostAddress(), server.getPort());
        assertThat(((RdmaSocketChannel) client.getChannel()).transport()).contains(transport());
        assertThat(client.getChannel().pipeline().get(SslHandler.class) != null)
                .as("TLS")
                .isEqualTo(context.getConf().sslRpcEnabled());
        return client;
    }

    private static CompletableFuture<byte[]> fetch(TransportClient client, int chunk) {
        CompletableFuture<byte[]> fetched = new CompletableFuture<>();
        client.fetchChunk(STREAM, chunk, new ChunkReceivedCallback() {
            @Override
            public void onSuccess(int index, ManagedBuffer buffer) {
                try {
                    fetched.complete(bytes(buffer.nioByteBuffer()));
                } catch (IOException e) {
                    fetched.completeExceptionally(e);
                }
            }

            @Override
            public void onFailure(int index, Throwable why) {
                fetched.completeExceptionally(why);
            }
        });
        return fetched;
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private byte[] expected(int chunk) {
        return chunk == IN_MEMORY
                ? content
                : Arrays.copyOfRange(content, SEGMENTS[chunk][0], SEGMENTS[chunk][0] + SEGMENTS[chunk][1]);
    }

    /** All chunks, requested at once, twice: with the answers of the first time in memory until the end. */
    private void fetchAll() throws Exception {
        TransportClient client = client();
        for (int times = 0; times < 2; times++) {
            Map<Integer, CompletableFuture<byte[]>> fetches = new HashMap<>();
            for (int chunk = 0; chunk < SEGMENTS.length; chunk++) {
                fetches.put(chunk, fetch(client, chunk));
            }
            fetches.put(IN_MEMORY, fetch(client, IN_MEMORY));
            for (Map.Entry<Integer, CompletableFuture<byte[]>> one : fetches.entrySet()) {
                assertThat(one.getValue().get(60, TimeUnit.SECONDS))
                        .as("chunk %d", one.getKey())
                        .isEqualTo(expected(one.getKey()));
            }
        }
    }

    @Test
    void chunksOfFilesAndMemoryArrive() throws Exception {
        start(Map.of());
        fetchAll();
    }

    @Test
    void encryptedChunksArrive() throws Exception {
        start(Map.of("spark.network.crypto.enabled", "true", "spark.authenticate", "true"));
        fetchAll();
    }

    @Test
    @Tag("full")
    void chunksOverTlsArrive() throws Exception {
        start(SslSampleConfigs.createDefaultConfigMapForRpcNamespace());
        fetchAll();
    }

    @Test
    void streamArrives() throws Exception {
        start(Map.of());
        CompletableFuture<Integer> received = new CompletableFuture<>();
        client().stream("file", new StreamCallback() {
            private int position;

            @Override
            public void onData(String id, ByteBuffer part) {
                int end = position + part.remaining();
                assertThat(bytes(part)).isEqualTo(Arrays.copyOfRange(content, position, end));
                position = end;
            }

            @Override
            public void onComplete(String id) {
                received.complete(position);
            }

            @Override
            public void onFailure(String id, Throwable why) {
                received.completeExceptionally(why);
            }
        });
        assertThat(received.get(60, TimeUnit.SECONDS)).isEqualTo(FILE_BYTES);
    }

    @Test
    void uploadAndRequestArrive() throws Exception {
        start(Map.of());
        TransportClient client = client();
        ByteBuffer answer = client.sendRpcSync(ByteBuffer.wrap(content, 0, 1000), 60_000);
        assertThat(bytes(answer)).isEqualTo(Arrays.copyOf(content, 1000));
        CompletableFuture<Void> done = new CompletableFuture<>();
        client.uploadStream(
                new NioManagedBuffer(ByteBuffer.wrap(content, 0, 10)),
                new NioManagedBuffer(ByteBuffer.wrap(content)),
                callback(done));
        done.get(60, TimeUnit.SECONDS);
        assertThat(uploaded.get(60, TimeUnit.SECONDS)).isEqualTo(content);
    }

    private static RpcResponseCallback callback(CompletableFuture<Void> done) {
        return new RpcResponseCallback() {
            @Override
            public void onSuccess(ByteBuffer answer) {
                done.complete(null);
            }

            @Override
            public void onFailure(Throwable why) {
                done.completeExceptionally(why);
            }
        };
    }

    @Test
    void truncatedFileFailsTheFetchAndNotTheNextConnection() throws Exception {
        start(Map.of());
        CompletableFuture<byte[]> cut = fetch(client(), BEYOND_THE_END);
        assertThat(cut).failsWithin(60, TimeUnit.SECONDS).withThrowableOfType(ExecutionException.class);
        assertThat(fetch(client(), IN_MEMORY).get(60, TimeUnit.SECONDS)).isEqualTo(content);
    }

    /** The part of an executor that serves blocks. */
    private final class Service extends RpcHandler {
        private final TransportConf conf;

        Service(TransportConf conf) {
            this.conf = conf;
        }

        @Override
        public void receive(TransportClient client, ByteBuffer request, RpcResponseCallback answer) {
            answer.onSuccess(ByteBuffer.wrap(bytes(request)));
        }

        @Override
        public StreamCallbackWithID receiveStream(
                TransportClient client, ByteBuffer header, RpcResponseCallback answer) {
            ByteBuffer all = ByteBuffer.allocate(FILE_BYTES);
            return new StreamCallbackWithID() {
                @Override
                public String getID() {
                    return "upload";
                }

                @Override
                public void onData(String id, ByteBuffer part) {
                    all.put(part);
                }

                @Override
                public void onComplete(String id) {
                    uploaded.complete(all.array());
                    answer.onSuccess(ByteBuffer.allocate(0));
                }

                @Override
                public void onFailure(String id, Throwable why) {
                    uploaded.completeExceptionally(why);
                }
            };
        }

        @Override
        public StreamManager getStreamManager() {
            return new StreamManager() {
                @Override
                public ManagedBuffer getChunk(long stream, int chunk) {
                    return switch (chunk) {
                        case IN_MEMORY -> new NioManagedBuffer(ByteBuffer.wrap(content));
                        case BEYOND_THE_END -> segment(FILE_BYTES - 100_000, 200_000);
                        default -> segment(SEGMENTS[chunk][0], SEGMENTS[chunk][1]);
                    };
                }

                @Override
                public ManagedBuffer openStream(String id) {
                    return segment(0, FILE_BYTES);
                }
            };
        }

        private ManagedBuffer segment(int offset, int length) {
            return new FileSegmentManagedBuffer(conf, file, offset, length);
        }
    }
}
