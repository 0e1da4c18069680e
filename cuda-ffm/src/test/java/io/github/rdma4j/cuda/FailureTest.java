// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static io.github.rdma4j.cuda.bindings.CudaHeaders.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Failed calls, broken devices and vanished drivers are reported once and leave nothing open. */
@ExtendWith(StandInDriver.class)
class FailureTest {
    private final Arena arena = Arena.ofConfined();
    private CudaContext context;

    @BeforeEach
    void open() {
        context = Cuda.device(0).createContext();
    }

    @AfterEach
    void close() {
        StandInDriver.noFailures();
        context.close();
        arena.close();
        assertThat(StandInDriver.open()).as("what is left open").isEmpty();
    }

    /** Each makes something that holds native objects, by several calls of the driver. */
    private enum Creation {
        PLAIN(test -> test.context.allocate(4096)),
        VIRTUAL(test -> test.context.allocateGpuDirect(4096)),
        MANAGED(test -> test.context.allocateManaged(4096)),
        HOST(test -> test.context.allocateHost(4096)),
        REGISTERED(test -> test.context.registerHost(test.arena.allocate(4096, 4096))),
        STREAM(test -> test.context.createStream()),
        EVENT(test -> test.context.createEvent(EventFlag.TIMING)),
        MODULE(test -> test.context.loadModule(Kernels.ptx()).kernel("sum")),
        POOL(test -> test.context.createStream().allocate(64)),
        CONTEXT(test ->
                test.context.device().createContext(ContextFlag.SYNC_MEMOPS).close()),
        PRIMARY(test -> test.context.device().retainPrimaryContext().close());

        private final Consumer<FailureTest> action;

        Creation(Consumer<FailureTest> action) {
            this.action = action;
        }
    }

    /**
     * Whichever call fails, what the calls before it made is given back: closing the context would hide only a part of
     * it.
     */
    @ParameterizedTest
    @EnumSource
    void anyFailedCallLeavesNothing(Creation creation) {
        int failures = 0;
        for (int n = 1; ; n++) {
            StandInDriver.failAt("*", n, CUDA_ERROR_UNKNOWN());
            try {
                creation.action.accept(this);
                StandInDriver.noFailures();
                break;
            } catch (CudaException e) {
                assertThat(e.resultName()).isEqualTo("CUDA_ERROR_UNKNOWN");
                failures++;
                StandInDriver.noFailures();
                context.close();
                if (e.call().startsWith("cuCtxDestroy") || e.call().startsWith("cuDevicePrimaryCtxRelease")) {
                    // Nobody can do more.
                    StandInDriver.reset();
                }
            }
            assertThat(StandInDriver.open())
                    .as("left by %s, call %d failing", creation, n)
                    .isEmpty();
            context = Cuda.device(0).createContext();
        }
        assertThat(failures).as("calls that %s makes", creation).isPositive();
    }

    @Test
    void failedContextCreationKeepsItsReasonIfDestroyAlsoFails() {
        StandInDriver.failAt("cuCtxSetFlags", 1, CUDA_ERROR_UNKNOWN());
        StandInDriver.failAt("cuCtxDestroy", 1, CUDA_ERROR_INVALID_VALUE());
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> context.device().createContext(ContextFlag.SYNC_MEMOPS))
                .withMessageStartingWith("cuCtxSetFlags")
                .satisfies(e ->
                        assertThat(e.getSuppressed()).singleElement().asString().contains("cuCtxDestroy("));
        context.close();
        StandInDriver.reset();
        context = Cuda.device(0).createContext();
    }

    @Test
    void memoryOfTheHostIsFreedAndUnregisteredIfItCannotBeMapped() {
        StandInDriver.failAt("cuMemHostGetDevicePointer", 1, CUDA_ERROR_INVALID_VALUE());
        assertThatExceptionOfType(CudaException.class).isThrownBy(() -> context.allocateHost(4096));
        StandInDriver.failAt("cuMemHostGetDevicePointer", 1, CUDA_ERROR_INVALID_VALUE());
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> context.registerHost(arena.allocate(4096, 4096)));
        assertThat(StandInDriver.open()).containsOnlyKeys("contexts");
        StandInDriver.failAt("cuMemHostGetDevicePointer", 1, CUDA_ERROR_INVALID_VALUE());
        StandInDriver.failAt("cuMemFreeHost", 1, CUDA_ERROR_UNKNOWN());
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> context.allocateHost(4096))
                .satisfies(e ->
                        assertThat(e.getSuppressed()).singleElement().asString().contains("cuMemFreeHost("));
    }

    @Test
    void virtualMemoryIsGivenBackFromWhereItFailed() {
        for (String call : new String[] {"cuMemAddressReserve", "cuMemCreate", "cuMemMap", "cuMemSetAccess"}) {
            StandInDriver.failAt(call, 1, CUDA_ERROR_INVALID_VALUE());
            assertThatExceptionOfType(CudaException.class)
                    .isThrownBy(() -> context.allocateGpuDirect(4096))
                    .withMessageStartingWith(call);
            assertThat(StandInDriver.open()).as("after a failing %s", call).containsOnlyKeys("contexts");
        }
    }

    @Test
    void allocationAndTheQuestionHowMuchThereIsFailBoth() {
        StandInDriver.failAt("cuMemAlloc", 1, CUDA_ERROR_OUT_OF_MEMORY());
        StandInDriver.failAt("cuMemGetInfo", 1, CUDA_ERROR_UNKNOWN());
        assertThatExceptionOfType(OutOfDeviceMemoryException.class)
                .isThrownBy(() -> context.allocate(4096))
                .withMessageContaining("the amount of free memory cannot be queried either");
    }

    @Test
    void closeThatFailsClosesNevertheless() {
        DeviceMemory first = context.allocate(4096);
        DeviceMemory second = context.allocate(4096);
        CudaStream stream = context.createStream();
        StandInDriver.failAt("cuMemFree", 1, CUDA_ERROR_INVALID_VALUE());
        StandInDriver.failAt("cuMemFree", 2, CUDA_ERROR_UNKNOWN());
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(context::close)
                .withMessageStartingWith("cuMemFree(0x%x)".formatted(second.pointer))
                .satisfies(e -> assertThat(e.getSuppressed())
                        .singleElement()
                        .asString()
                        .contains("cuMemFree(0x%x)".formatted(first.pointer)));
        assertThat(first.isOpen() || second.isOpen() || stream.isOpen() || context.isOpen())
                .isFalse();
        assertThat(StandInDriver.open()).isEmpty();
        context.close();
    }

    /** Objects whose destruction the driver refuses. */
    private enum Destruction {
        STREAM("cuStreamDestroy", test -> test.context.createStream()),
        EVENT("cuEventDestroy", test -> test.context.createEvent()),
        MODULE("cuModuleUnload", test -> test.context.loadModule(Kernels.ptx())),
        GRAPH("cuGraphDestroy", test -> test.context.createGraph()),
        EXECUTABLE("cuGraphExecDestroy", test -> test.context.createGraph().instantiate()),
        PINNED("cuMemFreeHost", test -> test.context.allocateHost(64)),
        REGISTERED("cuMemHostUnregister", test -> test.context.registerHost(test.arena.allocate(4096, 4096)));

        private final String call;
        private final Function<FailureTest, CudaResource> creation;

        Destruction(String call, Function<FailureTest, CudaResource> creation) {
            this.call = call;
            this.creation = creation;
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusedDestroyIsReportedAndResourceIsClosed(Destruction destruction) {
        CudaResource resource = destruction.creation.apply(this);
        StandInDriver.failAt(destruction.call, 1, CUDA_ERROR_UNKNOWN());
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(resource::close)
                .withMessageStartingWith(destruction.call + "(")
                .withMessageContaining(" failed: CUDA_ERROR_UNKNOWN");
        assertThat(resource.isOpen()).isFalse();
        resource.close();
        assertThat(StandInDriver.calls(destruction.call)).isEqualTo(1);
        // The driver keeps graphs and what it did not free, whatever becomes of the context.
        context.close();
        StandInDriver.reset();
    }

    /** Each step of the way back is taken, and what failed is left for the next close. */
    @ParameterizedTest
    @ValueSource(strings = {"cuMemUnmap", "cuMemRelease", "cuMemAddressFree"})
    void virtualMemoryGoesBackInAsManyClosesAsItTakes(String call) {
        DeviceMemory memory = context.allocateGpuDirect(4096);
        StandInDriver.failAt(call, 1, CUDA_ERROR_UNKNOWN());
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(memory::close)
                .withMessageStartingWith(call)
                .withMessageContaining("close the memory again to release the rest");
        assertThat(memory.isOpen()).isFalse();
        assertThat(StandInDriver.calls("cuMemRelease")).isEqualTo(1);
        memory.close();
        assertThat(StandInDriver.open()).containsOnlyKeys("contexts");
        memory.close();
        assertThat(StandInDriver.calls("cuMemUnmap")).isEqualTo(call.equals("cuMemUnmap") ? 2 : 1);
        assertThat(StandInDriver.calls("cuMemRelease")).isEqualTo(call.equals("cuMemRelease") ? 2 : 1);
        assertThat(StandInDriver.calls("cuMemAddressFree")).isEqualTo(call.equals("cuMemAddressFree") ? 2 : 1);
    }

    @Test
    void virtualMemoryThatDoesNotGoBackIsLeftToTheContext() {
        DeviceMemory memory = context.allocateGpuDirect(4096);
        StandInDriver.failAt("cuMemUnmap", 1, CUDA_ERROR_UNKNOWN());
        StandInDriver.failAt("cuMemRelease", 1, CUDA_ERROR_INVALID_VALUE());
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(memory::close)
                .withMessageStartingWith("cuMemUnmap")
                .satisfies(e ->
                        assertThat(e.getSuppressed()).singleElement().asString().contains("cuMemRelease"));
        context.close();
        assertThat(StandInDriver.open()).isEmpty();
    }

    @Test
    void virtualMemoryGoesBackAfterItsContext() {
        DeviceMemory memory = context.allocateGpuDirect(4096);
        StandInDriver.failAt("cuMemUnmap", 1, CUDA_ERROR_UNKNOWN());
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(context::close)
                .withMessageStartingWith("cuMemUnmap");
        assertThat(StandInDriver.open()).containsOnlyKeys("handles", "reservations");
        memory.close();
        assertThat(StandInDriver.open()).isEmpty();
    }

    @Test
    void memoryThatAStreamCouldNotFreeCanBeFreedAgain() {
        CudaStream stream = context.createStream();
        DeviceMemory freed = stream.allocate(64);
        DeviceMemory closed = stream.allocate(64);
        StandInDriver.failAt("cuMemFreeAsync", 1, CUDA_ERROR_UNKNOWN());
        assertThatExceptionOfType(CudaException.class).isThrownBy(() -> stream.free(freed));
        StandInDriver.failAt("cuMemFreeAsync", 1, CUDA_ERROR_UNKNOWN());
        assertThatExceptionOfType(CudaException.class).isThrownBy(() -> stream.free(closed));
        assertThat(freed.isOpen() && closed.isOpen()).isTrue();
        stream.fill(freed, 0, 64, (byte) 1);
        stream.free(freed);
        closed.close();
        DeviceFixture.await(stream);
        assertThat(freed.isOpen() || closed.isOpen()).isFalse();
        assertThat(StandInDriver.open()).containsOnlyKeys("contexts", "streams");
        assertThatIllegalStateException().isThrownBy(() -> stream.free(freed));
        DeviceMemory late = stream.allocate(64);
        stream.close();
        assertThatIllegalStateException().isThrownBy(() -> stream.free(late)).withMessageContaining("is closed");
        assertThat(late.isOpen()).isTrue();
    }

    /** Such as a registration with an adapter, which would go on writing there. */
    @Test
    void dependentsAreClosedBeforeAStreamFreesTheirMemory() {
        CudaStream stream = context.createStream();
        DeviceMemory memory = stream.allocate(64);
        List<String> closed = new ArrayList<>();
        memory.addDependent(() -> {
            closed.add("fails, memory open: " + memory.isOpen());
            throw new IllegalStateException("of the dependent");
        });
        assertThatIllegalStateException().isThrownBy(() -> stream.free(memory)).withMessage("of the dependent");
        assertThat(memory.isOpen()).isTrue();
        memory.addDependent(() -> closed.add("first, memory open: " + memory.isOpen()));
        StandInDriver.failAt("cuMemFreeAsync", 1, CUDA_ERROR_UNKNOWN());
        assertThatExceptionOfType(CudaException.class).isThrownBy(() -> stream.free(memory));
        // As before: it takes further ones.
        memory.addDependent(() -> closed.add("second, memory open: " + memory.isOpen()));
        stream.free(memory);
        assertThat(closed)
                .containsExactly("fails, memory open: true", "first, memory open: true", "second, memory open: true");
        assertThat(memory.isOpen()).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(() -> memory.addDependent(() -> {}))
                .withMessageContaining("is closed");
        DeviceFixture.await(stream);
        assertThat(StandInDriver.open()).containsOnlyKeys("contexts", "streams");
    }

    /** A fault of queued work, which every later call of the context reports. */
    @Test
    void brokenContextIsReportedAndCanBeClosed() {
        CudaStream stream = context.createStream();
        DeviceMemory memory = context.allocate(4096);
        HostMemory pinned = context.allocateHost(4096);
        StandInDriver.faultAt("cuMemcpyHtoDAsync", 1, CUDA_ERROR_ILLEGAL_ADDRESS());
        pinned.segment().fill((byte) 0);
        stream.waitForValue(pinned, 0, 0x01010101, WaitCondition.EQUAL);
        stream.copyToDevice(memory, 0, pinned, 0, 4096);
        stream.callback(() -> {
            throw new AssertionError("called after an error");
        });
        pinned.segment().fill((byte) 1);
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> DeviceFixture.await(stream))
                .withMessageContaining("CUDA_ERROR_ILLEGAL_ADDRESS")
                .withMessageContaining("a new context does not help: end the process and start it again");
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> memory.fill(0, 1, (byte) 0))
                .satisfies(e -> assertThat(e.result()).isEqualTo(CUDA_ERROR_ILLEGAL_ADDRESS()));
        assertThatExceptionOfType(CudaException.class).isThrownBy(() -> context.allocate(1));
        assertThatExceptionOfType(CudaException.class).isThrownBy(context::close);
        assertThat(pinned.segment().scope().isAlive()).isFalse();
    }

    @Test
    void everyCallReportsADriverThatDisappeared() {
        CudaStream stream = context.createStream();
        CudaEvent event = context.createEvent();
        DeviceMemory memory = context.allocate(4096);
        HostMemory pinned = context.allocateHost(4096);
        StandInDriver.failFrom("*", 1, CUDA_ERROR_UNKNOWN());
        String remedy = "the GPU may have fallen off the bus";
        assertGone(stream::isDone, remedy);
        assertGone(() -> event.record(stream), remedy);
        assertGone(event::isDone, remedy);
        assertGone(() -> stream.copyToDevice(memory, 0, pinned, 0, 16), remedy);
        assertGone(() -> memory.fill(0, 1, (byte) 0), remedy);
        assertGone(() -> context.allocate(16), remedy);
        assertGone(() -> stream.callback(() -> {}), remedy);
        assertThat(Cuda.unavailability().orElseThrow()).hasMessageContaining(remedy);
        assertGone(memory::close, remedy);
        assertThat(memory.isOpen()).isFalse();
        StandInDriver.noFailures();
        StandInDriver.failFrom("*", 1, CUDA_ERROR_DEINITIALIZED());
        assertGone(stream::isDone, "The driver is shutting down with the process");
        assertGone(context::close, "shutting down");
        assertThat(pinned.segment().scope().isAlive()).isFalse();
        StandInDriver.reset();
    }

    private static void assertGone(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String remedy) {
        assertThatExceptionOfType(CudaException.class).isThrownBy(call).withMessageContaining(remedy);
    }

    @Test
    void contextDestroyedElsewhereIsReported() {
        CudaStream stream = context.createStream();
        DeviceMemory memory = context.allocate(64);
        new RawDriver().ok("cuCtxDestroy_v4000", context.handle());
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> memory.fill(0, 1, (byte) 0))
                .withMessageContaining("Other code has destroyed the context of this object");
        assertThatExceptionOfType(CudaException.class).isThrownBy(stream::isDone);
        assertThatExceptionOfType(CudaException.class).isThrownBy(context::close);
    }

    /** The driver reports only an unknown error. */
    @Test
    void gpuOnWhichNobodyMayComputeIsNamed() {
        StandInDriver.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE(), 2);
        CudaDevice device = Cuda.device(0);
        StandInDriver.failAt("cuCtxCreate", 1, CUDA_ERROR_UNKNOWN());
        StandInDriver.failAt("cuDevicePrimaryCtxRetain", 1, CUDA_ERROR_UNKNOWN());
        assertGone(device::createContext, "compute mode PROHIBITED. Run sudo nvidia-smi -i ");
        assertGone(device::retainPrimaryContext, "compute mode PROHIBITED. Run sudo nvidia-smi -i ");
        StandInDriver.failAt("cuCtxCreate", 1, CUDA_ERROR_NO_DEVICE());
        assertGone(device::createContext, "The GPU is gone");
        StandInDriver.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE(), 0);
        StandInDriver.failAt("cuCtxCreate", 1, CUDA_ERROR_UNKNOWN());
        assertGone(device::createContext, "the GPU may have fallen off the bus");
    }

    @Test
    void functionThatTheDriverLacksIsOneExceptionOfThatCall() {
        assertThatExceptionOfType(UnsupportedCudaCallException.class)
                .isThrownBy(() -> {
                    throw new UnsupportedCudaCallException("cuCtxSetFlags", 12010, 11080);
                })
                .withMessage("cuCtxSetFlags failed: CUDA_ERROR_NOT_FOUND (not in this driver): the function needs CUDA"
                        + " 12.1, but the installed driver supports CUDA 11.8. Install a driver of CUDA 12.1 or"
                        + " later");
        assertThatIllegalStateException().isThrownBy(() -> {
            CudaStream stream = context.createStream();
            stream.close();
            stream.isDone();
        });
    }
}
