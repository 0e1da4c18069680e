// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two devices, and a thread that works with one after the other. */
@ExtendWith(StandInDriver.class)
class PeerTest {
    private CudaContext first;
    private CudaContext second;

    @BeforeEach
    void open() {
        StandInDriver.devices(2);
        first = Cuda.device(0).createContext();
        second = Cuda.device(1).createContext();
    }

    @AfterEach
    void close() {
        first.close();
        second.close();
        assertThat(StandInDriver.open()).as("what is left open").isEmpty();
    }

    @Test
    void memoryIsCopiedBetweenDevices() {
        DeviceMemory source = first.allocate(4096);
        DeviceMemory target = second.allocate(4096);
        HostMemory back = first.allocateHost(4096);
        source.fill(0, 4096, (byte) 6);
        target.copyFrom(0, source.slice(0, 2048));
        CudaStream stream = second.createStream();
        stream.copyOnDevice(target, 2048, source, 2048, 2048);
        stream.copyToHost(back, 0, target, 0, 4096);
        DeviceFixture.await(stream);
        assertThat(back.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(6);
        assertThat(StandInDriver.get("bytes.peer")).isEqualTo(4096);
    }

    @Test
    void devicesReachEachOther() {
        assertThat(first.device().canAccessPeer(second.device())).isTrue();
        first.enablePeerAccess(second);
        first.enablePeerAccess(second);
        first.disablePeerAccess(second);
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> first.disablePeerAccess(second))
                .withMessageStartingWith("cuCtxDisablePeerAccess(device=0, peer=1)");
        assertThat(Cuda.devices()).hasSize(2).doesNotHaveDuplicates();
    }

    /** Which context is current is nobody's business but the library's. */
    @Test
    void threadUsesObjectsOfBothDevicesByTurns() throws InterruptedException {
        CudaStream stream = first.createStream();
        CudaStream other = second.createStream();
        CudaEvent event = first.createEvent();
        DeviceMemory memory = first.allocate(64);
        KernelArguments arguments = KernelArguments.of(2).setPointer(0, memory).setInt(1, 16);
        CudaKernel kernel = first.loadModule(Kernels.ptx()).kernel("increment");
        memory.fill(0, 64, (byte) 0);
        for (int i = 0; i < 3; i++) {
            second.makeCurrent();
            stream.launch(kernel, 1, 16, arguments);
            second.makeCurrent();
            event.record(stream);
            other.waitFor(event);
            other.isDone();
            stream.writeValue(memory, 60, i);
        }
        Thread thread = Thread.ofPlatform().start(() -> {
            stream.launch(kernel, 1, 16, arguments);
            event.record(stream);
        });
        assertThat(thread.join(DeviceFixture.LIMIT)).isTrue();
        assertThat(event.await(DeviceFixture.LIMIT)).isTrue();
        HostMemory back = second.allocateHost(64);
        memory.copyTo(back.segment());
        assertThat(back.segment().getAtIndex(ValueLayout.JAVA_INT, 0)).isEqualTo(4);
        assertThat(back.segment().getAtIndex(ValueLayout.JAVA_INT, 15)).isEqualTo(3);
    }

    /** A stream of the second context waits for a flag of its own, and then uses memory of the first. */
    private void assertIsNotFreedUnderWorkOfTheOther(CudaResource memory, Consumer<CudaStream> use) {
        HostMemory flag = second.allocateHost(4);
        flag.segment().set(ValueLayout.JAVA_INT, 0, 0);
        CudaStream stream = second.createStream();
        stream.waitForValue(flag, 0, 1, WaitCondition.EQUAL);
        use.accept(stream);
        first.setCloseTimeout(Duration.ofMillis(100));
        try {
            assertThatExceptionOfType(CudaCloseTimeoutException.class)
                    .isThrownBy(memory::close)
                    .withMessageContaining("earlier work of streams of " + second + " is not done");
            assertThat(memory.isOpen()).isTrue();
        } finally {
            flag.segment().set(ValueLayout.JAVA_INT, 0, 1);
        }
        DeviceFixture.await(stream);
        first.setCloseTimeout(DeviceFixture.LIMIT);
        memory.close();
        assertThat(memory.isOpen()).isFalse();
    }

    @Test
    void pinnedMemoryIsNotFreedUnderACopyOfAnotherContext() {
        HostMemory pinned = first.allocateHost(64);
        DeviceMemory target = second.allocate(64);
        assertIsNotFreedUnderWorkOfTheOther(pinned, stream -> stream.copyToDevice(target, 0, pinned, 0, 64));
        HostMemory again = first.allocateHost(64);
        // This copy has only the address.
        assertIsNotFreedUnderWorkOfTheOther(again, stream -> stream.copyToDevice(target, 0, again.segment(), 0, 64));
    }

    @Test
    void deviceMemoryIsNotFreedUnderWorkOfAnotherContext() {
        DeviceMemory target = second.allocate(64);
        CudaKernel kernel = second.loadModule(Kernels.ptx()).kernel("increment");
        first.enablePeerAccess(second);
        second.enablePeerAccess(first);
        List<BiConsumer<CudaStream, DeviceMemory>> uses = List.of(
                (stream, memory) -> stream.copyOnDevice(target, 0, memory, 0, 64),
                (stream, memory) -> stream.copyOnDevice(memory, 0, target, 0, 64),
                (stream, memory) -> stream.fill(memory, 0, 64, (byte) 1),
                (stream, memory) -> stream.fillWords(memory, 0, 16, 1),
                (stream, memory) -> stream.writeValue(memory, 0, 1),
                (stream, memory) -> stream.launch(
                        kernel,
                        1,
                        16,
                        KernelArguments.of(2).setPointer(0, memory).setInt(1, 16)));
        for (BiConsumer<CudaStream, DeviceMemory> use : uses) {
            DeviceMemory memory = first.allocate(64);
            assertIsNotFreedUnderWorkOfTheOther(memory, stream -> use.accept(stream, memory));
        }
    }

    /** Its variables and kernels are closed before it, and may be what the others use. */
    @Test
    void moduleIsNotUnloadedUnderWorkOfAnotherContext() {
        DeviceMemory target = second.allocate(64);
        CudaModule module = first.loadModule(Kernels.ptx());
        DeviceMemory variable = module.global("counter");
        assertIsNotFreedUnderWorkOfTheOther(
                module, stream -> stream.copyOnDevice(target, 0, variable, 0, variable.size()));
    }

    /** Else one device would wait for the other for nothing. */
    @Test
    void deviceMemoryThatNoOtherContextUsesIsFreedAtOnce() {
        HostMemory flag = second.allocateHost(4);
        flag.segment().set(ValueLayout.JAVA_INT, 0, 0);
        second.createStream().waitForValue(flag, 0, 1, WaitCondition.EQUAL);
        first.setCloseTimeout(Duration.ZERO);
        DeviceMemory memory = first.allocate(64);
        memory.close();
        assertThat(memory.isOpen()).isFalse();
        flag.segment().set(ValueLayout.JAVA_INT, 0, 1);
    }
}
