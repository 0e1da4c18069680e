// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.rdma4j.cuda.CaptureMode;
import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.CudaGraph;
import io.github.rdma4j.cuda.CudaGraphExec;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.GraphNode;
import io.github.rdma4j.cuda.HostMemory;
import io.github.rdma4j.cuda.KernelArguments;
import io.github.rdma4j.cuda.WaitCondition;
import io.github.rdma4j.gpudirect.GpuSide.Where;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Transfers in the order of streams of a GPU, between two channels of this process. */
abstract class StreamChannelBehaviour {
    static final Duration PATIENCE = Duration.ofSeconds(30);

    static final int ROUNDS = 10;

    @TempDir
    Path folder;

    StreamProxy proxy;

    StreamSide left;

    StreamSide right;

    @BeforeEach
    void start() {
        proxy = StreamProxy.start();
    }

    void connect(Where mine, Where theirs) {
        connect(mine, theirs, config -> {});
    }

    void connect(Where mine, Where theirs, Consumer<StreamChannelConfig> settings) {
        left = new StreamSide(mine, folder);
        right = new StreamSide(theirs, folder);
        StreamSide.connect(left, right, proxy, settings);
    }

    @AfterEach
    void close() {
        proxy.close();
        for (StreamSide side : new StreamSide[] {left, right}) {
            if (side != null) {
                side.close();
            }
        }
    }

    static void await(CudaStream stream) {
        assertThat(stream.await(PATIENCE)).as("a stream waits").isTrue();
    }

    @ParameterizedTest
    @Tag("waits-for-host")
    @EnumSource(
            value = Where.class,
            names = {"STAGED", "PEER_MEMORY"})
    void streamsPlayPingPongWithoutTheHost(Where theirs) {
        connect(Where.PEER_MEMORY, theirs);
        for (int i = 0; i < ROUNDS; i++) {
            left.enqueueHit(left.stream);
            left.enqueueArrival(left.stream);
            right.enqueueArrival(right.stream);
            right.enqueueHit(right.stream);
        }
        await(left.stream);
        await(right.stream);
        assertThat(left.counter()).isEqualTo(2 * ROUNDS);
        assertThat(left.hit.completed()).isEqualTo(ROUNDS);
        assertThat(left.arrival.completed()).isEqualTo(ROUNDS);
        assertThat(left.channel.failure()).isEmpty();
    }

    @ParameterizedTest
    @Tag("waits-for-host")
    @EnumSource(
            value = Where.class,
            names = {"STAGED", "PEER_MEMORY"})
    void capturedGraphPlaysAsOftenAsItIsLaunched(Where where) {
        connect(where, where);
        CudaGraphExec mine = left.stream
                .capture(CaptureMode.THREAD_LOCAL, stream -> {
                    left.enqueueHit(stream);
                    left.enqueueArrival(stream);
                })
                .instantiate();
        CudaGraphExec theirs = right.stream
                .capture(CaptureMode.THREAD_LOCAL, stream -> {
                    right.enqueueArrival(stream);
                    right.enqueueHit(stream);
                })
                .instantiate();
        for (int i = 0; i < ROUNDS; i++) {
            mine.launch(left.stream);
            theirs.launch(right.stream);
        }
        await(left.stream);
        await(right.stream);
        assertThat(left.counter()).isEqualTo(2 * ROUNDS);
        left.channel.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> mine.launch(left.stream))
                .withMessageContaining("closed");
    }

    @Test
    @Tag("waits-for-host")
    void graphIsPutTogetherOfStartsAndWaits() {
        connect(Where.PEER_MEMORY, Where.PEER_MEMORY);
        CudaGraph graph = left.side.context.createGraph();
        GraphNode start = left.hit.addStart(graph);
        GraphNode asked = left.arrival.addStart(graph, start);
        left.hit.addWait(graph, left.arrival.addWait(graph, asked));
        CudaGraphExec executable = graph.instantiate();
        for (int i = 0; i < ROUNDS; i++) {
            left.stream.launch(left.increment, 1, 32, left.counter);
            executable.launch(left.stream);
            right.enqueueArrival(right.stream);
            right.enqueueHit(right.stream);
        }
        await(left.stream);
        await(right.stream);
        assertThat(left.counter()).isEqualTo(2 * ROUNDS);
    }

    @Test
    @Tag("waits-for-host")
    void transfersOfOneStreamArriveInOrder() {
        connect(Where.PEER_MEMORY, Where.PEER_MEMORY);
        // The write that notifies the peer was created first.
        OrderedTransfer notice = left.channel.prepareNotifyingWrite(
                left.side.region, 0, 0, right.side.region.remoteMemory().slice(0, 0), 9);
        OrderedTransfer[] writes = new OrderedTransfer[16];
        for (int i = 0; i < writes.length; i++) {
            writes[i] = left.channel.prepareWrite(
                    left.side.region,
                    256L * i,
                    256,
                    right.side.region.remoteMemory().slice(256L * i, 256));
        }
        OrderedTransfer arrival = right.channel.prepareArrival(9);
        HostMemory seen = right.side.context.allocateHost(StreamSide.BALL);
        for (int round = 1; round <= 5; round++) {
            left.stream.fill(left.side.memory, 0, StreamSide.BALL, (byte) round);
            for (int i = writes.length - 1; i >= 0; i--) {
                writes[i].enqueueStart(left.stream);
            }
            notice.enqueueStart(left.stream);
            for (OrderedTransfer write : writes) {
                write.enqueueWait(left.stream);
            }
            arrival.enqueueStart(right.stream);
            arrival.enqueueWait(right.stream);
            right.stream.copyToHost(seen, 0, right.side.memory, 0, StreamSide.BALL);
            await(right.stream);
            assertThat(seen.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(round);
            await(left.stream);
        }
    }

    @Test
    @Tag("waits-for-host")
    void silentPeerEndsTheChannelInTime() {
        connect(Where.PEER_MEMORY, Where.PEER_MEMORY, config -> config.timeLimit(Duration.ofMillis(200)));
        CudaGraphExec launched =
                left.stream.capture(CaptureMode.THREAD_LOCAL, left::enqueueHit).instantiate();
        // The time runs from when the stream asks for it: not before all is enqueued, however long that takes.
        HostMemory gate = closeGate();
        left.arrival.enqueueStart(left.stream);
        left.arrival.enqueueWait(left.stream);
        DeviceMemory errorWord = left.side.context.allocate(4);
        left.stream.fill(errorWord, 0, 4, (byte) 0);
        left.stream.launch(left.module.kernel("copy"), 1, 32, errorCopy(errorWord));
        open(gate);
        await(left.stream);
        assertThat(left.channel.failure().orElseThrow())
                .hasMessageContaining("arrival of tag 7")
                .hasMessageContaining("timeLimit");
        try (var arena = Arena.ofConfined()) {
            var word = arena.allocate(4);
            errorWord.copyTo(word);
            assertThat(word.get(ValueLayout.JAVA_INT, 0))
                    .as("what a kernel behind the wait sees")
                    .isEqualTo(1);
        }
        assertThatIllegalStateException()
                .isThrownBy(() -> left.hit.enqueueStart(left.stream))
                .withMessageContaining("cannot be used any more");
        assertThatIllegalStateException().isThrownBy(() -> launched.launch(left.stream));
    }

    /** Makes the left stream wait until the returned gate is opened. */
    private HostMemory closeGate() {
        HostMemory gate = left.side.context.allocateHost(4);
        gate.segment().set(ValueLayout.JAVA_INT, 0, 0);
        left.stream.waitForValue(gate, 0, 1, WaitCondition.EQUAL);
        return gate;
    }

    private static void open(HostMemory gate) {
        ValueLayout.JAVA_INT.varHandle().setRelease(gate.segment(), 0L, 1);
    }

    KernelArguments errorCopy(DeviceMemory to) {
        KernelArguments arguments = KernelArguments.of(3).setPointer(0, to).setLong(2, 4);
        left.channel.passErrorWord(arguments, 1);
        return arguments;
    }

    @Test
    @Tag("waits-for-host")
    void wrongKeyEndsTheChannelWithItsStatus() {
        connect(Where.PEER_MEMORY, Where.PEER_MEMORY);
        MemoryRegion readOnly = right.side.domain.allocateMemory(StreamSide.BALL, LOCAL_WRITE);
        OrderedTransfer wrong =
                left.channel.prepareWrite(left.side.region, 0, StreamSide.BALL, readOnly.remoteMemory());
        right.arrival.enqueueStart(right.stream);
        right.arrival.enqueueWait(right.stream);
        wrong.enqueueStart(left.stream);
        wrong.enqueueWait(left.stream);
        await(left.stream);
        assertThat(left.channel.failure().orElseThrow().status()).contains(WorkCompletionStatus.REM_ACCESS_ERR);
        // The peer's waits also end.
        await(right.stream);
        assertThat(right.channel.failure()).isPresent();
        assertThat(wrong.completed()).isZero();
    }

    @Test
    @Tag("waits-for-host")
    void closingReleasesWhatStreamsWaitFor() {
        connect(Where.PEER_MEMORY, Where.STAGED);
        left.arrival.enqueueStart(left.stream);
        left.arrival.enqueueWait(left.stream);
        assertThat(left.stream.isDone()).isFalse();
        left.channel.close();
        await(left.stream);
        left.channel.close();
        assertThatIllegalStateException().isThrownBy(() -> left.arrival.enqueueWait(left.stream));
        // With the context, though its stream waits.
        right.arrival.enqueueStart(right.stream);
        right.arrival.enqueueWait(right.stream);
        right.side.context.close();
    }

    @Test
    @Tag("waits-for-host")
    void startThatItsStreamHasNotComeToIsStillAnswered() {
        connect(Where.PEER_MEMORY, Where.PEER_MEMORY);
        left.side.context.setCloseTimeout(Duration.ofMillis(200));
        HostMemory gate = closeGate();
        left.hit.enqueueStart(left.stream);
        left.hit.enqueueWait(left.stream);
        assertThatExceptionOfType(CudaCloseTimeoutException.class)
                .isThrownBy(left.channel::close)
                .withMessageContaining("1 transfers were submitted");
        left.side.context.setCloseTimeout(PATIENCE);
        open(gate);
        await(left.stream);
        left.channel.close();
        assertThat(left.hit.completed()).isZero();
    }

    @Test
    @Tag("waits-for-host")
    void oneProxyServesManyChannels() {
        StreamSide[] sides = new StreamSide[4];
        try {
            for (int i = 0; i < sides.length; i += 2) {
                sides[i] = new StreamSide(Where.PEER_MEMORY, folder);
                sides[i + 1] = new StreamSide(Where.PEER_MEMORY, folder);
                StreamSide.connect(sides[i], sides[i + 1], proxy, config -> config.transfers(2));
            }
            for (int i = 0; i < ROUNDS; i++) {
                for (int j = 0; j < sides.length; j += 2) {
                    sides[j].enqueueHit(sides[j].stream);
                    sides[j].enqueueArrival(sides[j].stream);
                    sides[j + 1].enqueueArrival(sides[j + 1].stream);
                    sides[j + 1].enqueueHit(sides[j + 1].stream);
                }
            }
            for (StreamSide side : sides) {
                await(side.stream);
            }
            assertThat(sides[0].counter()).isEqualTo(2 * ROUNDS);
            assertThat(sides[2].counter()).isEqualTo(2 * ROUNDS);
            assertThat(proxy).hasToString("stream proxy of 4 channels");
            proxy.close();
            assertThat(proxy).hasToString("stream proxy of 0 channels");
        } finally {
            for (StreamSide side : sides) {
                if (side != null) {
                    side.close();
                }
            }
        }
    }

    @Test
    void invalidArgumentsAreRefused() {
        connect(Where.STAGED, Where.PEER_MEMORY, config -> config.transfers(3));
        var far = right.side.region.remoteMemory();
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> left.channel.prepareWrite(left.side.region, 8000, 1000, far));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> left.channel.prepareWrite(right.side.region, 0, 16, far))
                .withMessageContaining("another CUDA context");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> left.channel.prepareArrival(StreamSide.TAG))
                .withMessageContaining("already has a transfer");
        assertThatIllegalArgumentException().isThrownBy(() -> left.channel.prepareArrival(256));
        assertThatIllegalArgumentException().isThrownBy(() -> left.hit.enqueueStart(right.stream));
        assertThatIllegalArgumentException().isThrownBy(() -> left.hit.enqueueWait(right.stream));
        MemoryRegion strange = right.side.domain.allocateMemory(16, LOCAL_WRITE, REMOTE_WRITE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> left.channel.prepareWrite(strange.slice(), far))
                .withMessageContaining("another protection domain");
        left.channel.prepareArrival(1);
        assertThatIllegalStateException()
                .isThrownBy(() -> left.channel.prepareArrival(2))
                .withMessageContaining("StreamChannelConfig.transfers");
        try (CudaGraph graph = left.side.context.createGraph()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> left.hit.addStart(graph))
                    .withMessageContaining("capture");
        }
        assertThatIllegalStateException().isThrownBy(() -> left.prepared.connect(left.prepared.endpoint()));
        proxy.close();
        PreparedStreamChannel late = left.side.gpu.prepareStreamChannel(proxy);
        assertThatIllegalStateException().isThrownBy(() -> late.connect(late.endpoint()));
        late.close();
    }
}
