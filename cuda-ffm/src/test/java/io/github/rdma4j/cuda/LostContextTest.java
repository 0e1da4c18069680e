// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static io.github.rdma4j.cuda.bindings.CudaHeaders.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests which results mean that a context is lost, and the remedy of each. */
@ExtendWith(StandInDriver.class)
class LostContextTest {
    /**
     * For these results cuda.h requires that the process is terminated, or requires nothing although no context helps
     * in practice.
     */
    private static final Set<Integer> END_OF_THE_PROCESS = Set.of(
            CUDA_ERROR_ECC_UNCORRECTABLE(),
            CUDA_ERROR_NVLINK_UNCORRECTABLE(),
            CUDA_ERROR_CONTAINED(),
            CUDA_ERROR_ILLEGAL_ADDRESS(),
            CUDA_ERROR_LAUNCH_TIMEOUT(),
            CUDA_ERROR_HARDWARE_STACK_ERROR(),
            CUDA_ERROR_ILLEGAL_INSTRUCTION(),
            CUDA_ERROR_MISALIGNED_ADDRESS(),
            CUDA_ERROR_INVALID_ADDRESS_SPACE(),
            CUDA_ERROR_INVALID_PC(),
            CUDA_ERROR_LAUNCH_FAILED(),
            CUDA_ERROR_TENSOR_MEMORY_LEAK(),
            CUDA_ERROR_MPS_CLIENT_TERMINATED(),
            CUDA_ERROR_EXTERNAL_DEVICE());

    private static final Set<Integer> END_OF_THE_CONTEXT =
            Set.of(CUDA_ERROR_ASSERT(), CUDA_ERROR_CONTEXT_IS_DESTROYED(), CUDA_ERROR_DEINITIALIZED());

    private CudaContext context;

    @BeforeEach
    void open() {
        context = Cuda.device(0).createContext();
    }

    @AfterEach
    void close() {
        StandInDriver.noFailures();
        context.close();
    }

    /** All numbers that results have or may get. */
    @Test
    void resultsAfterWhichNoWorkGoesOn() {
        CudaStream stream = context.createStream();
        List<Integer> lost = new ArrayList<>();
        for (int code = 1; code < 1000; code++) {
            if (code == CUDA_ERROR_NOT_READY()) {
                continue;
            }
            StandInDriver.failFrom("cuStreamQuery", 1, code);
            CudaException failure = failure(stream::isDone);
            StandInDriver.noFailures();
            assertThat(failure.result()).isEqualTo(code);
            if (failure.isContextLost()) {
                lost.add(code);
                assertThat(failure.remedy().contains("end the process and start it again"))
                        .as("remedy of %s", failure)
                        .isEqualTo(END_OF_THE_PROCESS.contains(code));
                assertThat(failure.remedy()).isNotBlank();
            }
        }
        assertThat(lost).hasSize(END_OF_THE_PROCESS.size() + END_OF_THE_CONTEXT.size());
        assertThat(lost).containsAll(END_OF_THE_PROCESS).containsAll(END_OF_THE_CONTEXT);
    }

    @Test
    void contextThatSomebodyElseDestroyedIsLost() {
        CudaStream stream = context.createStream();
        CudaEvent event = context.createEvent();
        event.record(stream);
        new RawDriver().ok("cuCtxDestroy_v4000", context.handle());
        assertThat(failure(event::isDone).isContextLost()).isTrue();
        assertThat(failure(stream::isDone).isContextLost()).isTrue();
        assertThat(failure(context::freeMemory).isContextLost()).isTrue();
        assertThat(failure(context::close)).isNotNull();
    }

    /** This result means that the handle is no valid context, not that the context is lost. */
    @Test
    void argumentThatIsNoContextIsNoLoss() {
        StandInDriver.failAt("cuMemAlloc", 1, CUDA_ERROR_INVALID_CONTEXT());
        assertThat(failure(() -> context.allocate(64)).isContextLost()).isFalse();
    }

    private static CudaException failure(Runnable call) {
        CudaException[] failure = new CudaException[1];
        assertThatExceptionOfType(CudaException.class).isThrownBy(call::run).satisfies(e -> failure[0] = e);
        return failure[0];
    }
}
