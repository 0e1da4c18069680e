// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaKernel;
import io.github.rdma4j.cuda.CudaModule;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.KernelArguments;
import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.verbs.QueuePairEndpoint;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * One of two peers of a stream channel. The first 4 bytes of its memory are a counter, which a turn increments and
 * sends. The peer's counter arrives at the same address.
 */
final class StreamSide implements AutoCloseable {
    static final int BALL = 4096;
    static final int TAG = 7;

    final GpuSide side;
    final CudaStream stream;
    final CudaModule module;
    final CudaKernel increment;
    final KernelArguments counter;
    PreparedStreamChannel prepared;
    StreamChannel channel;
    OrderedTransfer hit;
    OrderedTransfer arrival;

    StreamSide(GpuSide.Where where, Path folder) {
        side = new GpuSide(where, folder, config -> {}).allocate(2 * BALL);
        side.fill(0, new byte[2 * BALL]);
        stream = side.context.createStream();
        module = side.context.loadModule(kernels());
        increment = module.kernel("increment");
        counter = KernelArguments.of(2).setPointer(0, side.memory).setInt(1, 1);
    }

    private static String kernels() {
        try (InputStream file = StandInDriver.class.getResourceAsStream("kernels.ptx")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void connect(StreamSide left, StreamSide right, StreamProxy proxy, Consumer<StreamChannelConfig> settings) {
        left.prepared = left.side.gpu.prepareStreamChannel(proxy, settings);
        right.prepared = right.side.gpu.prepareStreamChannel(proxy, settings);
        left.channel = left.connectTo(right);
        right.channel = right.connectTo(left);
        left.prepare(right);
        right.prepare(left);
    }

    private StreamChannel connectTo(StreamSide peer) {
        return prepared.connect(
                QueuePairEndpoint.fromBytes(peer.prepared.endpoint().toBytes()), config -> config.timeout(14));
    }

    private void prepare(StreamSide peer) {
        hit = channel.prepareNotifyingWrite(
                side.region, 0, BALL, peer.side.region.remoteMemory().slice(0, BALL), TAG);
        arrival = channel.prepareArrival(TAG, side.region, 0, BALL);
    }

    /** The counter grows, and goes to the peer. */
    void enqueueHit(CudaStream to) {
        to.launch(increment, 1, 32, counter);
        hit.enqueueStart(to);
    }

    /** The peer's counter comes, and may be changed. */
    void enqueueArrival(CudaStream to) {
        arrival.enqueueStart(to);
        arrival.enqueueWait(to);
        hit.enqueueWait(to);
    }

    int counter() {
        return ByteBuffer.wrap(side.bytes(0, 4)).order(ByteOrder.nativeOrder()).getInt();
    }

    @Override
    public void close() {
        side.close();
    }
}
