// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages as a stream of bytes. */
abstract class EndpointChannelContract {
    /** Two endpoints that are connected. */
    abstract Ends pair(Consumer<EndpointConfig> left, Consumer<EndpointConfig> right);

    private Ends pair(Consumer<EndpointConfig> both) {
        return pair(both, both);
    }

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final Ends pair = pair(config -> config.receiveBuffers(4).maxMessageSize(1000));
    private final ByteChannel left = pair.left().asByteChannel(PATIENCE);
    private final ByteChannel right = pair.right().asByteChannel(PATIENCE);

    @AfterEach
    void close() {
        executor.shutdownNow();
        pair.close();
    }

    @Test
    void streamsCarryWhatIsLongerThanAMessageAndEnd() throws Exception {
        byte[] sent = new byte[300_001];
        new Random(5).nextBytes(sent);
        Future<byte[]> received = executor.submit(() -> {
            try (InputStream in = Channels.newInputStream(right)) {
                return in.readAllBytes();
            }
        });
        try (OutputStream out = Channels.newOutputStream(left)) {
            out.write(sent, 0, 1);
            out.write(sent, 1, sent.length - 1);
        }
        assertThat(received.get(60, TimeUnit.SECONDS)).isEqualTo(sent);
    }

    @Test
    void fileIsTransferred(@TempDir Path folder) throws Exception {
        byte[] content = new byte[123_456];
        new Random(6).nextBytes(content);
        Path source = Files.write(folder.resolve("source"), content);
        Future<Long> sent = executor.submit(() -> {
            try (FileChannel file = FileChannel.open(source)) {
                long position = 0;
                while (position < file.size()) {
                    position += file.transferTo(position, file.size() - position, left);
                }
                left.close();
                return position;
            }
        });
        ByteBuffer target = ByteBuffer.allocate(content.length + 1);
        while (right.read(target) >= 0) {
            assertThat(target.hasRemaining()).isTrue();
        }
        assertThat(sent.get(60, TimeUnit.SECONDS)).isEqualTo(content.length);
        assertThat(target.position()).isEqualTo(content.length);
        assertThat(target.array()).startsWith(content);
    }

    @Test
    void boundariesOfMessagesAreNotSeenAndEmptyOnesAreNothing() throws Exception {
        pair.left().send(new byte[] {1, 2, 3}, PATIENCE);
        pair.left().send(new byte[0], PATIENCE);
        pair.left().send(new byte[] {4}, PATIENCE);
        ByteBuffer two = ByteBuffer.allocateDirect(2);
        assertThat(right.read(two)).isEqualTo(2);
        assertThat(right.read(two)).isZero();
        assertThat(right.read(two.clear())).isEqualTo(1);
        assertThat(right.read(two)).isEqualTo(1);
        assertThat(two.get(0)).isEqualTo((byte) 3);
        assertThat(two.get(1)).isEqualTo((byte) 4);
    }

    @Test
    void timeAnInterruptACloseAndALostConnectionAreWhatChannelsHave() throws Exception {
        ByteChannel impatient = pair.right().asByteChannel(Duration.ofMillis(50));
        ByteBuffer buffer = ByteBuffer.allocate(100);
        assertThatThrownBy(() -> impatient.read(buffer))
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessageContaining("nothing came");
        // Four messages fit. The position shows how much was sent.
        ByteBuffer much = ByteBuffer.allocate(6_000);
        assertThatThrownBy(
                        () -> pair.right().asByteChannel(Duration.ofMillis(50)).write(much))
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessageContaining("took nothing");
        assertThat(much.position()).isEqualTo(4_000);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> right.read(buffer)).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        Future<Integer> waiting = executor.submit(() -> right.read(buffer));
        Thread.sleep(100);
        right.close();
        assertThatThrownBy(() -> waiting.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(ClosedChannelException.class);
        assertThat(right.isOpen()).isFalse();
        assertThatThrownBy(() -> right.read(buffer)).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> right.write(much)).isInstanceOf(ClosedChannelException.class);
        while (left.read(buffer.clear()) >= 0) {
            assertThat(buffer.position()).isPositive();
        }
        assertThatThrownBy(() -> left.write(much))
                .isInstanceOf(java.io.IOException.class)
                .hasCauseInstanceOf(ClosedByPeerException.class);
    }

    @Test
    void emptyMessagesDoNotProlongARead() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        Future<?> sending = executor.submit(() -> {
            while (!over.await(1, TimeUnit.MILLISECONDS)) {
                pair.left().trySend(new byte[0]);
            }
            return null;
        });
        ByteChannel impatient = pair.right().asByteChannel(Duration.ofMillis(200));
        assertThatThrownBy(() -> impatient.read(ByteBuffer.allocate(1))).isInstanceOf(SocketTimeoutException.class);
        over.countDown();
        sending.get(60, TimeUnit.SECONDS);
    }

    @Test
    void waiterBehindAnotherThreadCanBeInterrupted() throws Exception {
        ByteBuffer[] much = {ByteBuffer.allocate(10_000), ByteBuffer.allocate(10_000)};
        interruptTheSecond(i -> right.read(ByteBuffer.allocate(1)), () -> true);
        interruptTheSecond(i -> left.write(much[i]), () -> much[0].position() > 0);
        assertThat(much[1].position()).isZero();
    }

    private interface Waiting {
        void run(int number) throws Exception;
    }

    private void interruptTheSecond(Waiting call, BooleanSupplier begun) throws Exception {
        Future<?> first = executor.submit(() -> {
            call.run(0);
            return null;
        });
        do {
            Thread.sleep(50);
        } while (!begun.getAsBoolean());
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Thread second = Thread.ofVirtual().start(() -> {
            try {
                call.run(1);
                end.complete(null);
            } catch (Exception e) {
                end.complete(Thread.interrupted() ? e : new AssertionError("the status is gone", e));
            }
        });
        while (second.getState() != Thread.State.TIMED_WAITING && second.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        second.interrupt();
        assertThat(end.get(60, TimeUnit.SECONDS)).isInstanceOf(InterruptedIOException.class);
        assertThat(first.isDone()).isFalse();
    }
}
