// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The code in docs/cuda.md works. */
@ExtendWith(StandInDriver.class)
class CudaGuideTest {
    @Test
    void codeOfGuideWorks(@TempDir Path folder) throws Exception {
        assertThat(CudaGuide.whetherThereIsCuda()).contains("CUDA device 0").contains("driver of CUDA 13.0");
        assertThat(CudaGuide.copies()).isEqualTo((byte) 7);
        try (CudaContext context = Cuda.device(0).createContext()) {
            assertThat(CudaGuide.streams(context)).isPositive();
            CudaGuide.kernels(context, Files.writeString(folder.resolve("kernels.ptx"), Kernels.ptx()));
            CudaStream stream = context.createStream();
            DeviceMemory memory = context.allocate(64);
            CudaGuide.callbacks(context, stream, memory);
            CudaGuide.adapters(context);
            CudaGuide.strangers(context, memory.handle(), 64);
            List<Byte> magic = List.of((byte) 'R', (byte) 'J');
            byte[] handle = CudaGuide.otherProcesses(memory);
            assertThat(handle).startsWith(magic.get(0), magic.get(1));
            assertThatExceptionOfType(CudaException.class)
                    .isThrownBy(() -> CudaGuide.inTheOtherProcess(context, handle));
            assertThat(CudaGuide.pools(stream).isOpen()).isFalse();
            graphs(context, stream, memory);
        }
        assertThat(StandInDriver.open()).isEmpty();
    }

    private static void graphs(CudaContext context, CudaStream stream, DeviceMemory memory) {
        HostMemory words = context.allocateHost(64);
        words.segment().fill((byte) 0);
        CudaKernel increment = context.loadModule(Kernels.ptx()).kernel("increment");
        KernelArguments arguments = KernelArguments.of(2).setPointer(0, memory).setInt(1, 16);
        CudaGuide.graphs(context, stream, increment, arguments, words);
        VarHandle word = ValueLayout.JAVA_INT.varHandle();
        for (int answers = 0; answers < 2; ) {
            answers += word.compareAndSet(words.segment(), 0L, 1, 2) ? 1 : 0;
        }
        DeviceFixture.await(stream);
    }
}
