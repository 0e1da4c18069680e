// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Modules and kernels: on a GPU and on the stand-in alike. */
abstract class KernelBehaviour extends DeviceFixture {
    private static final int COUNT = 100_000;
    private static final int BLOCK = 256;
    private static final int GRID = (COUNT + BLOCK - 1) / BLOCK;

    private CudaModule module;
    private CudaStream stream;

    @BeforeEach
    void load() {
        module = context.loadModule(Kernels.ptx());
        stream = context.createStream();
    }

    @Test
    void kernelIncrementsEachElement() {
        DeviceMemory data = context.allocate(4L * COUNT);
        MemorySegment sent = arena.allocate(4L * COUNT);
        for (int i = 0; i < COUNT; i++) {
            sent.setAtIndex(ValueLayout.JAVA_INT, i, 3 * i);
        }
        data.copyFrom(sent);
        CudaKernel increment = module.kernel("increment");
        KernelArguments arguments = KernelArguments.of(2).setPointer(0, data).setInt(1, COUNT);
        stream.launch(increment, GRID, BLOCK, arguments);
        arguments.setInt(1, COUNT / 2);
        stream.launch(increment, GRID, 1, 1, BLOCK, 1, 1, 0, arguments);
        await(stream);
        int[] back = contents(data).toArray(ValueLayout.JAVA_INT);
        for (int i = 0; i < COUNT; i++) {
            assertThat(back[i]).isEqualTo(3 * i + (i < COUNT / 2 ? 2 : 1));
        }
    }

    @Test
    void kernelsFollowOneAnother() {
        DeviceMemory pattern = context.allocate(COUNT);
        DeviceMemory copy = context.allocate(2L * COUNT);
        HostMemory back = context.allocateHost(COUNT);
        CudaKernel fill = module.kernel("fill_pattern");
        stream.launch(
                fill,
                GRID,
                BLOCK,
                KernelArguments.of(3).setPointer(0, pattern).setLong(1, COUNT).setInt(2, 11));
        stream.launch(
                module.kernel("copy"),
                GRID,
                BLOCK,
                KernelArguments.of(3)
                        .setPointer(0, copy, COUNT)
                        .setPointer(1, pattern)
                        .setLong(2, COUNT));
        stream.copyToHost(back, 0, copy, COUNT, COUNT);
        await(stream);
        for (int i = 0; i < COUNT; i++) {
            assertThat(back.segment().get(ValueLayout.JAVA_BYTE, i)).isEqualTo((byte) (11 + 7 * i));
        }
    }

    @Test
    void kernelReadsAndWritesPinnedMemory() {
        HostMemory data = context.allocateHost(4L * COUNT);
        HostMemory result = context.allocateHost(8);
        for (int i = 0; i < COUNT; i++) {
            data.segment().setAtIndex(ValueLayout.JAVA_INT, i, i);
        }
        result.segment().fill((byte) 0);
        stream.launch(
                module.kernel("sum"),
                GRID,
                BLOCK,
                KernelArguments.of(3).setPointer(0, data).setInt(1, COUNT).setPointer(2, result));
        await(stream);
        assertThat(result.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo((long) COUNT * (COUNT - 1) / 2);
    }

    @Test
    void argumentsAreComparedWithTheKernel() {
        CudaKernel increment = module.kernel("increment");
        DeviceMemory data = context.allocate(64);
        if (increment.parameterSizes().isEmpty()) {
            assertThatThrownBy(increment::newArguments).isInstanceOf(UnsupportedCudaCallException.class);
            return;
        }
        assertThat(increment.parameterSizes())
                .hasValueSatisfying(sizes -> assertThat(sizes).containsExactly(8, 4));
        KernelArguments arguments = increment.newArguments();
        assertThat(arguments.count()).isEqualTo(2);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> stream.launch(increment, 1, 1, arguments))
                .withMessage("argument 0 of kernel increment was not set");
        arguments.setPointer(0, data);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> arguments.setLong(1, 16))
                .withMessageContaining("takes 4 bytes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> stream.launch(
                        increment,
                        1,
                        1,
                        KernelArguments.of(2).setPointer(0, data).setLong(1, 16)))
                .withMessage("parameter 1 of kernel increment has 4 bytes, but the argument was set with 8");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        stream.launch(increment, 1, 1, KernelArguments.of(1).setPointer(0, data)))
                .withMessage("kernel increment has 2 parameters, but there are 1 arguments");
        stream.launch(increment, 1, 16, arguments.setInt(1, 16));
        await(stream);
    }

    @Test
    void memoryOfAnArgumentThatIsClosedIsRefused() {
        CudaKernel increment = module.kernel("increment");
        DeviceMemory data = context.allocate(64);
        KernelArguments arguments = KernelArguments.of(2).setPointer(0, data).setInt(1, 16);
        data.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> stream.launch(increment, 1, 16, arguments))
                .withMessageContaining("is closed");
        DeviceMemory other = context.allocate(64);
        stream.launch(increment, 1, 16, arguments.setPointer(0, other));
        await(stream);
    }

    @Test
    void allTypesOfArgumentsAreLaidOut() {
        KernelArguments arguments = KernelArguments.ofSizes(1, 2, 4, 8, 4, 8, 24);
        arguments
                .setByte(0, (byte) 1)
                .setShort(1, (short) 2)
                .setInt(2, 3)
                .setLong(3, 4)
                .setFloat(4, 5f)
                .setDouble(5, 6d)
                .setStruct(6, arena.allocate(24));
        assertThatThrownBy(() -> arguments.setInt(7, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> arguments.setStruct(6, arena.allocate(25)));
        assertThatIllegalArgumentException().isThrownBy(() -> KernelArguments.ofSizes(0));
    }

    @Test
    void kernelReportsItsNeeds() {
        CudaKernel increment = module.kernel("increment");
        assertThat(increment.name()).isEqualTo("increment");
        assertThat(increment.attribute(KernelAttribute.MAX_THREADS_PER_BLOCK)).isBetween(32, 1024);
        assertThat(increment.attribute(KernelAttribute.NUM_REGS)).isPositive();
        Occupancy occupancy = increment.occupancy(0, 0);
        assertThat(occupancy.blockSize()).isBetween(32, 1024);
        assertThat(occupancy.gridSize()).isPositive();
        assertThat(increment.occupancy(0, 64).blockSize()).isLessThanOrEqualTo(64);
        int most = device.attribute(DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
        increment.allowSharedMemory(most);
        assertThat(increment.attribute(KernelAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES))
                .isEqualTo(most);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> increment.allowSharedMemory(most + 1))
                .withMessageContaining("0 to " + most);
    }

    @Test
    void launchThatIsTooLargeIsRefusedWithTheLimits() {
        CudaKernel increment = module.kernel("increment");
        KernelArguments arguments =
                KernelArguments.of(2).setPointer(0, context.allocate(64)).setInt(1, 0);
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> stream.launch(increment, 1, 4096, arguments))
                .withMessageContaining("cuLaunchKernel(increment, grid=1,1,1, block=4096,1,1, shared=0)")
                .withMessageContaining("threads in a block");
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> stream.launch(increment, 0, 1, arguments))
                .satisfies(e -> assertThat(e.resultName()).isEqualTo("CUDA_ERROR_INVALID_VALUE"));
    }

    @Test
    void variablesOfAModuleAreMemory() {
        DeviceMemory counter = module.global("counter");
        assertThat(counter.size()).isEqualTo(8);
        assertThat(counter.kind()).isEqualTo(DeviceMemory.Kind.GLOBAL);
        assertThat(contents(counter).get(ValueLayout.JAVA_LONG, 0)).isZero();
        DeviceMemory data = context.allocate(64);
        data.fillWords(0, 16, 5);
        stream.launch(
                module.kernel("sum"),
                1,
                32,
                KernelArguments.of(3).setPointer(0, data).setInt(1, 16).setPointer(2, counter));
        await(stream);
        assertThat(contents(counter).get(ValueLayout.JAVA_LONG, 0)).isEqualTo(80);
        module.close();
        assertThat(counter.isOpen()).isFalse();
        assertThatIllegalStateException().isThrownBy(() -> contents(counter));
    }

    @Test
    void missingNamesAreReported() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> module.kernel("decrement"))
                .withMessageContaining("no kernel 'decrement'")
                .withMessageContaining("extern \"C\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> module.global("nothing"))
                .withMessageContaining("no variable 'nothing'");
    }

    @Test
    void modulesAreLoadedFromFilesAndBytes(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("kernels.ptx"), Kernels.ptx());
        assertThat(context.loadModule(file).kernel("copy").name()).isEqualTo("copy");
        assertThat(context.loadModule(Files.readAllBytes(file)).kernel("copy").name())
                .isEqualTo("copy");
        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> context.loadModule(folder.resolve("missing.ptx")))
                .withMessageContaining("missing.ptx");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> context.loadModule(file.toString()))
                .withMessageContaining("pass a file as a Path");
        assertThatIllegalArgumentException().isThrownBy(() -> context.loadModule(new byte[0]));
    }

    @Test
    void messageHasTheCompilersLog() {
        String broken = Kernels.ptx().replace(".target", ".targget");
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> context.loadModule(broken))
                .withMessageContaining("the compiler says: ")
                .withMessageContaining("CUDA_ERROR_INVALID_PTX");
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> context.loadModule("no PTX at all".getBytes(StandardCharsets.UTF_8)))
                .withMessageContaining("cuModuleLoadDataEx(module of 13 bytes)");
    }

    @Test
    void closedModuleTakesItsKernelsAlong() {
        CudaKernel increment = module.kernel("increment");
        module.close();
        KernelArguments arguments =
                KernelArguments.of(2).setPointer(0, context.allocate(64)).setInt(1, 16);
        assertThatIllegalStateException()
                .isThrownBy(() -> stream.launch(increment, 1, 16, arguments))
                .withMessage("kernel increment is closed");
        assertThatIllegalStateException().isThrownBy(() -> module.kernel("increment"));
    }
}
