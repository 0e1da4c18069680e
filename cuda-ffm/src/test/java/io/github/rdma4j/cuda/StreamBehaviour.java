// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Streams and events: on a GPU and on the stand-in alike. */
abstract class StreamBehaviour extends DeviceFixture {
    private static final int SIZE = 1 << 20;
    private static final Duration SHORT = Duration.ofMillis(30);

    private CudaStream stream;

    @BeforeEach
    void createStream() {
        stream = context.createStream();
    }

    @Test
    void streamCopiesInOrder() {
        HostMemory host = context.allocateHost(SIZE);
        HostMemory back = context.allocateHost(SIZE);
        DeviceMemory memory = context.allocate(SIZE);
        DeviceMemory other = context.allocate(SIZE);
        host.segment().copyFrom(pattern(SIZE));
        stream.copyToDevice(memory, 0, host, 0, SIZE);
        stream.copyOnDevice(other, 100, memory, 0, SIZE - 100);
        stream.copyOnDevice(other, 0, other, 1000, 100);
        stream.copyToHost(back, 0, other, 0, SIZE);
        await(stream);
        assertThat(back.segment().asSlice(100).mismatch(host.segment().asSlice(0, SIZE - 100)))
                .isEqualTo(-1);
        assertThat(back.segment().asSlice(0, 100).mismatch(host.segment().asSlice(900, 100)))
                .isEqualTo(-1);
    }

    @Test
    void pageableMemoryIsCopiedToo() {
        MemorySegment sent = pattern(SIZE);
        MemorySegment back = arena.allocate(SIZE);
        DeviceMemory memory = context.allocate(SIZE);
        stream.copyToDevice(memory, 0, sent, 0, SIZE);
        stream.copyToHost(back, 0, memory, 0, SIZE);
        await(stream);
        assertThat(back.mismatch(sent)).isEqualTo(-1);
    }

    @Test
    void streamFills() {
        DeviceMemory memory = context.allocate(1024);
        stream.fill(memory, 0, 1024, (byte) 2);
        stream.fillWords(memory, 512, 10, 0x0a0b0c0d);
        await(stream);
        int[] words = contents(memory).toArray(ValueLayout.JAVA_INT);
        assertThat(words[127]).isEqualTo(0x02020202);
        assertThat(words[128]).isEqualTo(0x0a0b0c0d);
        assertThat(words[138]).isEqualTo(0x02020202);
    }

    @Test
    @Tag("waits-for-host")
    void eventHoldsAnotherStreamBack() {
        HostMemory flag = flag();
        CudaStream second = context.createStream();
        CudaEvent event = context.createEvent();
        DeviceMemory memory = context.allocate(64);
        assertThat(event.isDone()).as("nothing recorded").isTrue();
        stream.waitForValue(flag, 0, 1, WaitCondition.EQUAL);
        stream.fill(memory, 0, 64, (byte) 1);
        event.record(stream);
        second.waitFor(event);
        second.fill(memory, 0, 64, (byte) 2);
        assertThat(event.isDone()).isFalse();
        assertThat(event.await(SHORT)).isFalse();
        assertThat(second.isDone()).isFalse();
        raise(flag, 1);
        assertThat(event.await(LIMIT)).isTrue();
        await(second);
        assertThat(contents(memory).toArray(ValueLayout.JAVA_BYTE)).containsOnly(2);
    }

    @Test
    @Tag("waits-for-host")
    void eventsTakeTheTime() throws InterruptedException {
        HostMemory flag = flag();
        CudaEvent start = context.createEvent(EventFlag.TIMING);
        CudaEvent end = context.createEvent(EventFlag.TIMING);
        assertThatIllegalStateException().isThrownBy(() -> end.millisecondsSince(start));
        start.record(stream);
        stream.waitForValue(flag, 0, 1, WaitCondition.AT_LEAST);
        end.record(stream);
        assertThat(start.await(LIMIT)).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(() -> end.millisecondsSince(start))
                .withMessageContaining("not done yet");
        Thread.sleep(20);
        raise(flag, 1);
        assertThat(end.await(LIMIT)).isTrue();
        assertThat(end.millisecondsSince(start)).isBetween(15f, 20_000f);
        assertThat(start.millisecondsSince(start)).isZero();
        CudaEvent without = context.createEvent();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> without.millisecondsSince(start))
                .withMessageContaining("TIMING");
    }

    @Test
    void valuesAreWrittenInOrder() {
        HostMemory host = context.allocateHost(64);
        DeviceMemory memory = context.allocate(64);
        stream.fill(memory, 0, 64, (byte) 0);
        stream.writeValue(memory, 4, 77);
        stream.waitForValue(memory, 4, 77, WaitCondition.EQUAL);
        stream.copyToHost(host, 0, memory, 0, 64);
        await(stream);
        assertThat(host.segment().getAtIndex(ValueLayout.JAVA_INT, 1)).isEqualTo(77);
        if (device.has(DeviceAttribute.CAN_USE_64_BIT_STREAM_MEM_OPS)) {
            stream.writeValue64(memory, 8, -2L);
            stream.waitForValue64(memory, 8, -5L, WaitCondition.AT_LEAST);
            stream.copyToHost(host, 0, memory, 0, 64);
            await(stream);
            assertThat(host.segment().getAtIndex(ValueLayout.JAVA_LONG, 1)).isEqualTo(-2);
        }
        assertThat(device.supportsStreamValues()).isTrue();
    }

    @Test
    void callbackIsCalledInOrder() throws InterruptedException {
        HostMemory host = context.allocateHost(4);
        DeviceMemory memory = context.allocate(4);
        List<Integer> seen = new CopyOnWriteArrayList<>();
        for (int i = 1; i <= 3; i++) {
            stream.fillWords(memory, 0, 1, i);
            stream.copyToHost(host, 0, memory, 0, 4);
            stream.callback(() -> seen.add(host.segment().get(ValueLayout.JAVA_INT, 0)));
        }
        await(stream);
        assertThat(seen).containsExactly(1, 2, 3);
    }

    @Test
    void exceptionOfCallbackIsReported() {
        IllegalStateException failure = new IllegalStateException("of the program");
        stream.callback(() -> {
            throw failure;
        });
        stream.callback(() -> {
            throw new AssertionError("another");
        });
        assertThatExceptionOfType(CudaCallbackException.class)
                .isThrownBy(() -> await(stream))
                .withCause(failure)
                .withMessageContaining("of the program");
        assertThat(failure.getSuppressed()).singleElement().isInstanceOf(AssertionError.class);
        assertThat(stream.isDone()).isTrue();
        CountDownLatch called = new CountDownLatch(1);
        stream.callback(() -> {
            called.countDown();
            throw failure;
        });
        CudaEvent event = context.createEvent();
        event.record(stream);
        assertThat(event.await(LIMIT)).isTrue();
        assertThatThrownBy(stream::close)
                .isInstanceOf(CudaCallbackException.class)
                .hasCause(failure);
        assertThat(stream.isOpen()).isFalse();
    }

    @Test
    @Tag("waits-for-host")
    void closedStreamStillDoesItsWork() throws InterruptedException {
        HostMemory flag = flag();
        DeviceMemory memory = context.allocate(64);
        memory.fill(0, 64, (byte) 1);
        CountDownLatch called = new CountDownLatch(1);
        CudaEvent event = context.createEvent();
        stream.waitForValue(flag, 0, 1, WaitCondition.EQUAL);
        stream.fill(memory, 0, 64, (byte) 8);
        stream.callback(called::countDown);
        event.record(stream);
        stream.close();
        raise(flag, 1);
        assertThat(event.await(LIMIT)).isTrue();
        assertThat(called.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(contents(memory).toArray(ValueLayout.JAVA_BYTE)).containsOnly(8);
    }

    @Test
    void closingMemoryWaitsForTheWorkWithIt() throws InterruptedException {
        HostMemory flag = flag();
        HostMemory pinned = context.allocateHost(SIZE);
        DeviceMemory memory = context.allocate(SIZE);
        stream.waitForValue(flag, 0, 1, WaitCondition.EQUAL);
        stream.copyToDevice(memory, 0, pinned, 0, SIZE);
        Thread closer = Thread.ofPlatform().start(pinned::close);
        assertThat(closer.join(SHORT)).as("closed while its copy is queued").isFalse();
        raise(flag, 1);
        assertThat(closer.join(LIMIT)).isTrue();
        assertThat(stream.isDone()).isTrue();
        memory.close();
    }

    /** The driver waits only for some kinds of memory. For the others, the queued work would write to freed memory. */
    @Test
    @Tag("waits-for-host")
    void closingMemoryOfAnyKindWaitsForTheWorkWithIt() throws InterruptedException {
        List<DeviceMemory> memories = new ArrayList<>(List.of(context.allocate(4096), context.allocateManaged(4096)));
        if (device.has(DeviceAttribute.MEMORY_POOLS_SUPPORTED)) {
            memories.add(stream.allocate(4096));
        }
        if (device.has(DeviceAttribute.GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED)) {
            memories.add(context.allocateGpuDirect(4096));
        }
        await(stream);
        for (DeviceMemory memory : memories) {
            HostMemory flag = flag();
            stream.waitForValue(flag, 0, 1, WaitCondition.EQUAL);
            stream.fill(memory, 0, 4096, (byte) 1);
            Thread closer = Thread.ofPlatform().start(memory::close);
            try {
                assertThat(closer.join(SHORT))
                        .as("%s closed while work with it is queued", memory.kind())
                        .isFalse();
            } finally {
                raise(flag, 1);
            }
            assertThat(closer.join(LIMIT)).isTrue();
            await(stream);
        }
    }

    @Test
    void poolGivesMemoryInOrder() {
        if (!device.has(DeviceAttribute.MEMORY_POOLS_SUPPORTED)) {
            assertThatThrownBy(() -> stream.allocate(100)).isInstanceOf(UnsupportedCudaCallException.class);
            return;
        }
        HostMemory host = context.allocateHost(4096);
        DeviceMemory memory = stream.allocate(4096);
        assertThat(memory.kind()).isEqualTo(DeviceMemory.Kind.POOL);
        assertThat(memory.isGpuDirectCapable()).isFalse();
        stream.fill(memory, 0, 4096, (byte) 4);
        stream.copyToHost(host, 0, memory, 0, 4096);
        stream.free(memory);
        assertThat(memory.isOpen()).isFalse();
        await(stream);
        assertThat(host.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(4);
        stream.allocate(100).close();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> stream.free(context.allocate(16)))
                .withMessageContaining("ALLOCATED");
    }

    @Test
    void streamsHavePriorities() {
        StreamPriorities priorities = context.streamPriorities();
        assertThat(priorities.greatest()).isLessThanOrEqualTo(priorities.least());
        assertThat(context.createStream(priorities.greatest()).priority()).isEqualTo(priorities.greatest());
        assertThat(context.createStream(priorities.greatest() - 100).priority()).isEqualTo(priorities.greatest());
    }

    @Test
    void interruptEndsAWait() {
        HostMemory flag = flag();
        stream.waitForValue(flag, 0, 1, WaitCondition.EQUAL);
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(CudaWaitInterruptedException.class).isThrownBy(() -> stream.await(LIMIT));
        assertThat(Thread.interrupted()).isTrue();
        raise(flag, 1);
        await(stream);
        assertThatIllegalArgumentException().isThrownBy(() -> stream.await(Duration.ofMillis(-1)));
    }

    private HostMemory flag() {
        HostMemory flag = context.allocateHost(8);
        raise(flag, 0);
        return flag;
    }

    private static void raise(HostMemory flag, int value) {
        ValueLayout.JAVA_INT.varHandle().setRelease(flag.segment(), 0L, value);
    }
}
