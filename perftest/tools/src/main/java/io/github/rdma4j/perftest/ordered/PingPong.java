// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.ordered;

import io.github.rdma4j.cuda.CaptureMode;
import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaGraphExec;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.gpudirect.ChannelEndpoint;
import io.github.rdma4j.gpudirect.DeviceChannel;
import io.github.rdma4j.gpudirect.DeviceRegion;
import io.github.rdma4j.gpudirect.GpuDirect;
import io.github.rdma4j.gpudirect.GpuPath;
import io.github.rdma4j.gpudirect.OrderedTransfer;
import io.github.rdma4j.gpudirect.PreparedChannel;
import io.github.rdma4j.gpudirect.PreparedStreamChannel;
import io.github.rdma4j.gpudirect.StreamChannel;
import io.github.rdma4j.gpudirect.StreamProxy;
import io.github.rdma4j.gpudirect.Transfer;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.findings.KeptReport;
import io.github.rdma4j.perftest.result.RunState;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.QueuePairEndpoint;
import io.github.rdma4j.verbs.RemoteMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * One side of the ping-pong. The message is in the first bytes of a region, and is written to the same offset at the
 * peer. The client sends first.
 */
final class PingPong implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** How often a longer wait checks that the peer is still connected. */
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(500);

    private static final String ROOT_PROPERTY = "io.github.rdma4j.gpudirect.root";
    private static final int TAG = 0;
    private static final int WARM_UP = 20;
    private static final int POLLS_BETWEEN_YIELDS = 64;
    /** A driver's queue is not endless. */
    private static final int AHEAD = 100;

    private final OrderedOptions options;
    private final boolean client;
    private final DeviceContext device;
    private final CudaContext context;
    private final CudaStream stream;
    private final DeviceMemory ball;
    private final DeviceMemory other;
    private final GpuDirect gpu;
    private final DeviceRegion region;

    PingPong(OrderedOptions options) {
        this.options = options;
        client = options.server() != null;
        device = openDevice(options.device());
        CudaContext opened = null;
        try {
            opened = Cuda.device(options.gpu()).retainPrimaryContext();
            context = opened;
            stream = context.createStream();
            ball = context.allocate(options.size());
            other = context.allocate(Math.max(1, options.work()));
            gpu = GpuDirect.on(
                    device.allocateProtectionDomain(),
                    context,
                    config -> config.order(options.paths().toArray(GpuPath[]::new))
                            .fileSystemRoot(Path.of(System.getProperty(ROOT_PROPERTY, "/"))));
            region = gpu.register(ball, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        } catch (RuntimeException e) {
            if (opened != null) {
                opened.close();
            }
            device.close();
            throw e;
        }
    }

    private static DeviceContext openDevice(String name) {
        List<Device> devices = Device.list();
        if (devices.isEmpty()) {
            throw new PerftestException("there is no RDMA device", "rdma4j doctor shows why");
        }
        return name == null ? DeviceContext.open(devices.getFirst()) : DeviceContext.open(name);
    }

    /**
     * Measures all paths.
     *
     * @param kept contains the results so far, for a signal or a failure
     */
    OrderedReport play(PeerLine line, KeptReport<OrderedReport> kept) {
        List<OrderedResult> results = Collections.synchronizedList(new ArrayList<>());
        OrderedReport nothing = new OrderedReport(
                context.device().toString(),
                device.toString(),
                region.decision().toString(),
                List.of(),
                RunState.COMPLETE,
                null);
        kept.begin(() -> results.isEmpty() ? Optional.empty() : Optional.of(nothing.with(results)));
        try (PreparedChannel hostDriven = gpu.prepareChannel();
                StreamProxy proxy = StreamProxy.start();
                PreparedStreamChannel ordered = gpu.prepareStreamChannel(proxy)) {
            RemoteMemory mine = region.remoteMemory();
            byte[] theirs = line.exchange(
                    new int[] {options.size(), options.rounds(), options.work()},
                    ByteBuffer.allocate(ChannelEndpoint.BYTES + QueuePairEndpoint.BYTES + RemoteMemory.BYTES)
                            .put(hostDriven.endpoint().toBytes())
                            .put(ordered.endpoint().toBytes())
                            .put(mine.toBytes())
                            .array());
            ByteBuffer buffer = ByteBuffer.wrap(theirs);
            try (DeviceChannel channel =
                            hostDriven.connect(ChannelEndpoint.fromBytes(next(buffer, ChannelEndpoint.BYTES)));
                    StreamChannel streams =
                            ordered.connect(QueuePairEndpoint.fromBytes(next(buffer, QueuePairEndpoint.BYTES)))) {
                RemoteMemory target = RemoteMemory.fromBytes(next(buffer, RemoteMemory.BYTES));
                results.add(measure(line, "host", rounds -> byHost(line, channel, rounds)));
                byStreams(line, streams, target, results);
            }
        }
        return nothing.with(results);
    }

    private static byte[] next(ByteBuffer buffer, int length) {
        if (buffer.remaining() < length) {
            throw new PerftestException("the peer has sent too little", "start the same version there");
        }
        byte[] bytes = new byte[length];
        buffer.get(bytes);
        return bytes;
    }

    private OrderedResult measure(PeerLine line, String way, IntConsumer game) {
        prepareBall();
        line.synchronize();
        run(line, game, Math.min(WARM_UP, options.rounds()));
        line.synchronize();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long processor = threads.getCurrentThreadCpuTime();
        long start = System.nanoTime();
        run(line, game, options.rounds());
        long time = System.nanoTime() - start;
        processor = threads.getCurrentThreadCpuTime() - processor;
        requireBall(way);
        line.synchronize();
        return new OrderedResult(way, time / 1e3 / options.rounds() / 2, Math.clamp((double) processor / time, 0, 1));
    }

    private static void run(PeerLine line, IntConsumer game, int rounds) {
        try {
            game.accept(rounds);
        } catch (RuntimeException failure) {
            throw line.cause(failure);
        }
    }

    private static byte pattern(long index) {
        return (byte) (31 * index + index / 251 + 7);
    }

    /** Only the client has one. */
    private void prepareBall() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(options.size());
            for (long i = 0; i < options.size() && client; i++) {
                bytes.set(ValueLayout.JAVA_BYTE, i, pattern(i));
            }
            ball.copyFrom(bytes);
        }
    }

    private void requireBall(String way) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(options.size());
            ball.copyTo(bytes);
            for (long i = 0; i < options.size(); i++) {
                if (bytes.get(ValueLayout.JAVA_BYTE, i) != pattern(i)) {
                    throw new PerftestException(
                            "%s: byte %d of %d is wrong".formatted(way, i, options.size()),
                            "the adapter or the driver has changed bytes: try --gpu-path staged");
                }
            }
        }
    }

    // ---- driven by the host ----

    private void byHost(PeerLine line, DeviceChannel channel, int rounds) {
        for (int i = 0; i < rounds; i++) {
            if (client) {
                Transfer hit = hit(line, channel);
                Transfer arrival = channel.receive(region, 0, options.size());
                finish(line, channel, hit, arrival);
            } else {
                finish(line, channel, channel.receive(region, 0, options.size()));
                finish(line, channel, hit(line, channel));
            }
        }
        until(line, stream::isDone, "the work of the stream");
    }

    /** The stream's earlier work may produce the data that is sent. */
    private Transfer hit(PeerLine line, DeviceChannel channel) {
        until(line, stream::isDone, "the work of the stream");
        Transfer hit = channel.send(region, 0, options.size());
        channel.progress();
        work(stream);
        return hit;
    }

    private static void finish(PeerLine line, DeviceChannel channel, Transfer... transfers) {
        for (Transfer transfer : transfers) {
            until(
                    line,
                    () -> {
                        channel.progress();
                        return transfer.isEnded();
                    },
                    "a transfer");
            transfer.failure().ifPresent(failure -> {
                throw failure;
            });
        }
    }

    private void work(CudaStream to) {
        if (options.work() > 0) {
            to.fill(other, 0, options.work(), (byte) 1);
        }
    }

    private static void until(PeerLine line, BooleanSupplier done, String what) {
        long start = System.nanoTime();
        long checked = start;
        for (int polls = 1; !done.getAsBoolean(); polls++) {
            long now = System.nanoTime();
            if (now - start > LIMIT.toNanos()) {
                throw late(what);
            }
            if (now - checked > CHECK_INTERVAL.toNanos()) {
                line.requirePeer();
                checked = now;
            }
            if (polls % POLLS_BETWEEN_YIELDS == 0) {
                // The thread that completes the work may need this core.
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private static PerftestException late(String what) {
        return new PerftestException(
                what + " is not done after " + LIMIT.toSeconds() + " s", "look at what the other side has printed");
    }

    // ---- in the order of streams ----

    private void byStreams(PeerLine line, StreamChannel channel, RemoteMemory target, List<OrderedResult> results) {
        OrderedTransfer hit =
                channel.prepareNotifyingWrite(region, 0, options.size(), target.slice(0, options.size()), TAG);
        OrderedTransfer arrival = channel.prepareArrival(TAG, region, 0, options.size());
        results.add(measure(line, "stream", rounds -> inLots(line, channel, rounds, () -> turn(stream, hit, arrival))));
        try (CudaGraphExec graph = stream.capture(CaptureMode.THREAD_LOCAL, captured -> turn(captured, hit, arrival))
                .instantiate()) {
            results.add(measure(line, "graph", rounds -> inLots(line, channel, rounds, () -> graph.launch(stream))));
        }
        requireSuccess(channel);
    }

    private void turn(CudaStream to, OrderedTransfer hit, OrderedTransfer arrival) {
        if (client) {
            hit.enqueueStart(to);
            work(to);
            arrive(to, arrival);
        } else {
            arrive(to, arrival);
            hit.enqueueStart(to);
            work(to);
        }
        hit.enqueueWait(to);
    }

    private static void arrive(CudaStream to, OrderedTransfer arrival) {
        arrival.enqueueStart(to);
        arrival.enqueueWait(to);
    }

    private void inLots(PeerLine line, StreamChannel channel, int rounds, Runnable round) {
        for (int i = 1; i <= rounds; i++) {
            round.run();
            if (i % AHEAD == 0 || i == rounds) {
                await(line);
            }
        }
        // After a failure, streams continue without the peer's bytes.
        requireSuccess(channel);
    }

    private static void requireSuccess(StreamChannel channel) {
        channel.failure().ifPresent(failure -> {
            throw failure;
        });
    }

    private void await(PeerLine line) {
        long start = System.nanoTime();
        while (!stream.await(CHECK_INTERVAL)) {
            if (System.nanoTime() - start > LIMIT.toNanos()) {
                throw late("the stream's part of " + AHEAD + " rounds");
            }
            line.requirePeer();
        }
    }

    @Override
    public void close() {
        try {
            context.close();
        } finally {
            device.close();
        }
    }
}
