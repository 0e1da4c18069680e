// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static io.github.rdma4j.cuda.bindings.CudaHeaders.CUDA_ERROR_OUT_OF_MEMORY;
import static io.github.rdma4j.cuda.bindings.CudaHeaders.CUDA_ERROR_UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Closes that wait for work that does not end: they end in time, free nothing under it, and can be tried again. */
class CloseTimeoutTest extends WaitingWorkFixture {
    private static final Duration SHORT = Duration.ofMillis(100);

    @BeforeEach
    void waitShortly() {
        context.setCloseTimeout(SHORT);
    }

    /** From now on it is the work that a close waits for, and not the time that is over. */
    private void raiseAndWaitLong() {
        context.setCloseTimeout(DeviceFixture.LIMIT);
        raise();
    }

    private static void assertTooEarly(CudaResource resource) {
        assertThatExceptionOfType(CudaCloseTimeoutException.class)
                .isThrownBy(resource::close)
                .withMessageContaining(" is not freed")
                .withMessageContaining("is not done after 100 ms. Write the value that a stream may still wait for,"
                        + " or wait for the streams, and close this again");
    }

    @ParameterizedTest
    @EnumSource
    void resourceThatWorkMayUseIsClosedLater(Kind kind) throws InterruptedException {
        CudaResource resource = kind.create(this);
        DeviceFixture.await(writer);
        Map<String, Long> before = StandInDriver.open();
        waitForFlag();
        within(() -> assertTooEarly(resource), "closing");
        assertThat(resource.isOpen()).isTrue();
        assertThat(resource.handle()).isNotZero();
        assertThat(StandInDriver.open()).isEqualTo(before);
        raiseAndWaitLong();
        resource.close();
        assertThat(resource.isOpen()).isFalse();
        assertThat(StandInDriver.open()).isNotEqualTo(before);
    }

    /** The word itself: it can be written after the close that came too early. */
    @Test
    void wordOfTheStreamStaysWritable() throws InterruptedException {
        waitForFlag();
        within(() -> assertTooEarly(flag), "closing");
        raiseAndWaitLong();
        flag.close();
        assertThat(flag.segment().scope().isAlive()).isFalse();
    }

    /** Freeing it would wait for the work, which may wait for the thread that allocates. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusedHostMemoryDoesNotWaitForWork(boolean registered) throws InterruptedException {
        context.setCloseTimeout(DeviceFixture.LIMIT);
        Map<String, Long> before = StandInDriver.open();
        waitForFlag();
        StandInDriver.failAt("cuMemHostGetDevicePointer", 1, CUDA_ERROR_UNKNOWN());
        within(() -> assertRefused(registered), "allocating");
        raise();
        DeviceFixture.await(waiting);
        // Without work, nothing is left.
        StandInDriver.failAt("cuMemHostGetDevicePointer", 1, CUDA_ERROR_UNKNOWN());
        Map<String, Long> idle = StandInDriver.open();
        assertRefused(registered);
        assertThat(StandInDriver.open()).isEqualTo(idle);
        assertThat(idle).isNotEqualTo(before);
    }

    private void assertRefused(boolean registered) {
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> {
                    if (registered) {
                        context.registerHost(Arena.ofAuto().allocate(4096));
                    } else {
                        context.allocateHost(4096);
                    }
                })
                .withMessageContaining("cuMemHostGetDevicePointer")
                .satisfies(failure -> assertThat(failure.getSuppressed()).isEmpty());
    }

    @Test
    void contextStaysWithWhatCannotBeFreed() throws InterruptedException {
        DeviceMemory memory = context.allocate(64);
        CudaModule module = context.loadModule(Kernels.ptx());
        waitForFlag();
        within(
                () -> assertThatExceptionOfType(CudaCloseTimeoutException.class)
                        .isThrownBy(context::close)
                        .withMessageStartingWith(module.toString())
                        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(2)),
                "closing");
        assertThat(context.isOpen() && memory.isOpen() && flag.isOpen()).isTrue();
        context.setCloseTimeout(DeviceFixture.LIMIT);
        context.createStream().writeValue(flag, 0, 1);
        context.close();
        assertThat(memory.isOpen()).isFalse();
        assertThat(StandInDriver.open()).isEmpty();
    }

    /** The stream waits for a flag of another context, so only the unfinished work delays the close. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void contextIsNotDestroyedUnderItsWork(boolean primary) throws InterruptedException {
        CudaContext other =
                primary ? Cuda.device(0).retainPrimaryContext() : Cuda.device(0).createContext();
        other.setCloseTimeout(SHORT);
        other.createStream().waitForValue(flag, 0, 1, WaitCondition.EQUAL);
        if (primary) {
            CudaContext same = Cuda.device(0).retainPrimaryContext();
            within(same::close, "giving a primary context back");
        }
        within(() -> assertTooEarly(other), "closing");
        assertThat(other.isOpen()).isTrue();
        raise();
        other.setCloseTimeout(DeviceFixture.LIMIT);
        other.close();
        assertThat(other.isOpen()).isFalse();
    }

    /** The driver destroys the context at the last release. Either release can be the last, so both must wait. */
    @Test
    void twoWhoGiveAPrimaryContextBackAtOnceWaitBoth() throws InterruptedException {
        CudaContext first = Cuda.device(0).retainPrimaryContext();
        CudaContext second = Cuda.device(0).retainPrimaryContext();
        second.allocate(64);
        for (CudaContext each : new CudaContext[] {first, second}) {
            each.createStream().waitForValue(flag, 0, 1, WaitCondition.EQUAL);
        }
        Closing closing = new Closing(second::close);
        closing.awaitWaiting();
        first.setCloseTimeout(SHORT);
        within(() -> assertTooEarly(first), "closing");
        raise();
        closing.end();
        first.setCloseTimeout(DeviceFixture.LIMIT);
        first.close();
        assertThat(first.isOpen()).isFalse();
    }

    /** All that a context closes waits together: one behind the other, these would take 40 s, and fail by the limit. */
    @Test
    void manyWaitsAreNoLongerThanOne() throws InterruptedException {
        for (int i = 0; i < 400; i++) {
            context.allocate(64);
        }
        waitForFlag();
        new Closing(() -> assertThatExceptionOfType(CudaCloseTimeoutException.class)
                        .isThrownBy(context::close))
                .end();
    }

    @Test
    void workOfAClosedStreamIsWaitedFor() throws InterruptedException {
        HostMemory pinned = context.allocateHost(64);
        DeviceMemory memory = context.allocate(64);
        waitForFlag();
        waiting.copyToDevice(memory, 0, pinned, 0, 64);
        waiting.close();
        within(() -> assertTooEarly(pinned), "closing");
        assertThat(StandInDriver.get("events"))
                .as("behind the closed stream's work")
                .isEqualTo(1);
        raiseAndWaitLong();
        pinned.close();
        memory.close();
        assertThat(StandInDriver.get("events")).isZero();
    }

    /** The driver could not be asked for it any more; nobody waits for it then but the driver. */
    @Test
    void streamWhoseCloseFailedHoldsNothingUp() throws InterruptedException {
        DeviceMemory memory = context.allocate(64);
        // The first one is for the look at its work.
        StandInDriver.failAt("cuCtxSetCurrent", 2, CUDA_ERROR_UNKNOWN());
        assertThatExceptionOfType(CudaException.class).isThrownBy(waiting::close);
        assertThat(waiting.isOpen()).isFalse();
        within(memory::close, "closing");
    }

    /** Without an event the driver would wait for it, and for ever. */
    @ParameterizedTest
    @ValueSource(strings = {"cuEventCreate", "cuEventRecord"})
    void workThatGetsNoEventIsWaitedForNoLonger(String refused) throws InterruptedException {
        DeviceMemory memory = context.allocate(64);
        waitForFlag();
        StandInDriver.failFrom(refused, 1, CUDA_ERROR_OUT_OF_MEMORY());
        within(() -> assertTooEarly(memory), "closing memory");
        within(
                () -> assertThatExceptionOfType(CudaCloseTimeoutException.class)
                        .isThrownBy(waiting::close)
                        .withMessageStartingWith(
                                waiting + " is not destroyed, though closed to new uses: its work is not"
                                        + " done after 100 ms, and the driver refuses the event")
                        .withMessageMatching("(?s).*\\. \\p{Lu}.*"),
                "closing the stream");
        within(() -> assertTooEarly(memory), "closing memory");
        raiseAndWaitLong();
        waiting.close();
        memory.close();
        assertThat(StandInDriver.get("events")).isZero();
    }

    /** A stream that is captured cannot be asked for what it was given before, nor when it is gone. */
    @Test
    void workQueuedBeforeACaptureIsAwaitedAlsoIfTheStreamIsClosedMeanwhile() throws InterruptedException {
        DeviceMemory memory = context.allocate(64);
        waitForFlag();
        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> waiting.capture(CaptureMode.RELAXED, CudaStream::close));
        within(() -> assertTooEarly(memory), "closing memory");
        raiseAndWaitLong();
        memory.close();
        assertThat(StandInDriver.get("events")).isZero();
    }

    /** Two libraries hold one primary context, and a stream of the one uses what the other one has made. */
    @Test
    void workOfAnotherHolderOfTheContextIsWaitedFor() throws InterruptedException {
        try (CudaContext own = Cuda.device(0).retainPrimaryContext();
                CudaContext other = Cuda.device(0).retainPrimaryContext()) {
            own.setCloseTimeout(SHORT);
            DeviceMemory memory = own.allocate(64);
            CudaModule module = own.loadModule(Kernels.ptx());
            CudaStream stream = other.createStream();
            stream.waitForValue(flag, 0, 1, WaitCondition.EQUAL);
            stream.launch(
                    module.kernel("increment"),
                    1,
                    16,
                    KernelArguments.of(2).setPointer(0, memory).setInt(1, 16));
            within(() -> assertTooEarly(memory), "closing memory");
            within(() -> assertTooEarly(module), "closing a module");
            own.setCloseTimeout(DeviceFixture.LIMIT);
            raise();
            DeviceFixture.await(stream);
        }
    }

    /** A driver that frees memory under a thread that reads into it ends the process. */
    @Test
    void pinnedMemoryStaysWhileAThreadIsInsideACallWithItsSegment() throws Exception {
        HostMemory pinned = context.allocateHost(64);
        Pipe pipe = Pipe.open();
        Closing reading = new Closing(() -> read(pipe.source(), pinned));
        while (reading.thread.getState() != Thread.State.RUNNABLE || !isBeingRead(reading.thread)) {
            Thread.onSpinWait();
        }
        within(
                () -> assertThatExceptionOfType(CudaCloseTimeoutException.class)
                        .isThrownBy(context::close)
                        .withMessageStartingWith(pinned + " is not freed, though closed to new uses: another thread has"
                                + " been inside a call with its segment for longer than 100 ms. Close it again"),
                "closing");
        assertThat(context.isOpen()).isTrue();
        assertThat(StandInDriver.get("allocations.host")).isEqualTo(1);
        pipe.sink().write(ByteBuffer.allocate(64));
        reading.end();
        context.setCloseTimeout(DeviceFixture.LIMIT);
        context.close();
        assertThat(StandInDriver.get("allocations.host")).isZero();
        pipe.sink().close();
        pipe.source().close();
    }

    private static void read(Pipe.SourceChannel source, HostMemory target) {
        try {
            source.read(target.segment().asByteBuffer());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isBeingRead(Thread thread) {
        StackTraceElement[] stack = thread.getStackTrace();
        return stack.length > 0
                && stack[0].isNativeMethod()
                && stack[0].getMethodName().startsWith("read");
    }

    /** Each close gives back what the closes before it have left, however slow the machine is. */
    @Test
    void streamsThatAreClosedBusyLeaveNoEvents() {
        DeviceMemory memory = context.allocate(64);
        StandInDriver.copyDelay(2_000, 0);
        long open = StandInDriver.get("streams");
        for (int i = 0; i < 20; i++) {
            CudaStream busy = context.createStream();
            busy.fill(memory, 0, 64, (byte) i);
            busy.close();
            assertThat(StandInDriver.get("events")).isLessThanOrEqualTo(1);
            while (StandInDriver.get("streams") > open) {
                Thread.onSpinWait();
            }
        }
    }

    /** A close also waits for work that is queued while it waits for a thread. */
    @Test
    void workThatComesLateIsWaitedFor() throws InterruptedException {
        HostMemory pinned = context.allocateHost(64);
        DeviceMemory memory = context.allocate(64);
        StandInDriver.holdCopies();
        Closing copying = new Closing(() -> memory.copyFrom(pinned.segment()));
        while (StandInDriver.calls("cuMemcpyHtoD") == 0) {
            Thread.onSpinWait();
        }
        context.setCloseTimeout(DeviceFixture.LIMIT);
        Closing closing = new Closing(memory::close);
        while (memory.tryEnter()) {
            memory.exit();
            Thread.onSpinWait();
        }
        waitForFlag();
        StandInDriver.letCopiesGo();
        copying.end();
        closing.awaitWaiting();
        assertThat(memory.isOpen()).isFalse();
        assertThat(StandInDriver.get("allocations")).isEqualTo(1);
        raise();
        closing.end();
        assertThat(StandInDriver.get("allocations")).isZero();
    }

    @Test
    void resourceClosedToNewUsesIsFreedByNextClose() throws InterruptedException {
        HostMemory pinned = context.allocateHost(64);
        DeviceMemory memory = context.allocate(64);
        StandInDriver.holdCopies();
        Closing copying = new Closing(() -> memory.copyFrom(pinned.segment()));
        while (StandInDriver.calls("cuMemcpyHtoD") == 0) {
            Thread.onSpinWait();
        }
        Closing closing = new Closing(memory::close);
        while (memory.tryEnter()) {
            memory.exit();
            Thread.onSpinWait();
        }
        waitForFlag();
        StandInDriver.letCopiesGo();
        copying.end();
        assertThat(closing.thread.join(DeviceFixture.LIMIT)).isTrue();
        assertThat(closing.failure.get())
                .isInstanceOf(CudaCloseTimeoutException.class)
                .hasMessageContaining(" is not freed, though closed to new uses: ");
        assertThat(StandInDriver.get("allocations")).isEqualTo(1);
        raiseAndWaitLong();
        memory.close();
        memory.close();
        assertThat(StandInDriver.get("allocations")).isZero();
        assertThat(StandInDriver.calls("cuMemFree")).isEqualTo(1);
    }

    /** Only what was queued before counts. */
    @Test
    void streamThatIsNeverIdleHoldsNothingUp() throws InterruptedException {
        context.setCloseTimeout(DeviceFixture.LIMIT);
        DeviceMemory memory = context.allocate(64);
        DeviceMemory other = context.allocate(64);
        StandInDriver.copyDelay(2_000, 0);
        CudaEvent[] events = {context.createEvent(), context.createEvent()};
        AtomicBoolean end = new AtomicBoolean();
        // One fill is queued before the one before it is done.
        Closing feeding = new Closing(() -> {
            for (int i = 0; !end.get(); i = 1 - i) {
                writer.fill(other, 0, 64, (byte) i);
                events[i].record(writer);
                assertThat(events[1 - i].await(DeviceFixture.LIMIT)).isTrue();
            }
        });
        try {
            while (writer.isDone()) {
                Thread.onSpinWait();
            }
            within(memory::close, "closing");
        } finally {
            end.set(true);
            feeding.end();
            StandInDriver.copyDelay(0, 0);
        }
    }

    @Test
    void interruptDoesNotEndAClose() throws InterruptedException {
        context.setCloseTimeout(DeviceFixture.LIMIT);
        DeviceMemory memory = context.allocate(64);
        waitForFlag();
        AtomicBoolean interrupted = new AtomicBoolean();
        Closing closing = new Closing(() -> {
            memory.close();
            interrupted.set(Thread.interrupted());
        });
        closing.thread.interrupt();
        closing.awaitWaiting();
        assertThat(memory.isOpen()).isTrue();
        raise();
        closing.end();
        assertThat(memory.isOpen()).isFalse();
        assertThat(interrupted).isTrue();
    }

    /** One thread waits longer than the other has patience. */
    @Test
    void closingWhatAnotherThreadIsClosingEndsInTime() throws InterruptedException {
        DeviceMemory memory = context.allocate(64);
        context.setCloseTimeout(DeviceFixture.LIMIT);
        waitForFlag();
        Closing first = new Closing(memory::close);
        first.awaitWaiting();
        context.setCloseTimeout(SHORT);
        within(
                () -> assertThatExceptionOfType(CudaCloseTimeoutException.class)
                        .isThrownBy(memory::close)
                        .withMessageContaining("another thread is creating a dependent of it, or closing it"),
                "closing");
        raiseAndWaitLong();
        first.end();
        memory.close();
    }

    @Test
    void limitIsSetInTheContext() {
        assertThat(context.closeTimeout()).isEqualTo(SHORT);
        assertThat(Cuda.device(0).createContext()).satisfies(other -> {
            assertThat(other.closeTimeout()).isEqualTo(Duration.ofSeconds(30));
            other.setCloseTimeout(Duration.ofSeconds(Long.MAX_VALUE));
            other.allocate(64);
            other.close();
        });
        assertThatIllegalArgumentException().isThrownBy(() -> context.setCloseTimeout(Duration.ofMillis(-1)));
        context.setCloseTimeout(Duration.ZERO);
        context.allocate(64).close();
    }
}
