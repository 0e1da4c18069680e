// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.HostMemory;
import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.cuda.WaitCondition;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(StandInDriver.class)
class ContextStoreTest {
    private static final int INVALID_VALUE = 1;

    /** Freeing pinned memory waits for every stream of the context, one of which may wait for this thread. */
    @ParameterizedTest
    @ValueSource(strings = {"cuStreamCreateWithPriority", "cuEventCreate"})
    void failedStagingFreesNoPinnedMemory(String call) {
        try (CudaContext context = Cuda.device(0).createContext()) {
            HostMemory word = context.allocateHost(64);
            word.segment().fill((byte) 0);
            CudaStream waiting = context.createStream();
            waiting.waitForValue(word, 0, 1, WaitCondition.EQUAL);
            ContextStore store = ContextStore.of(context);
            long freed = StandInDriver.calls("cuMemFreeHost");
            StandInDriver.failAt(call, 1, INVALID_VALUE);
            assertThatExceptionOfType(CudaException.class).isThrownBy(() -> store.take(4096, 4));
            assertThat(StandInDriver.calls("cuMemFreeHost")).isEqualTo(freed);
            assertThat(waiting.isDone()).isFalse();
            long allocated = StandInDriver.calls("cuMemHostAlloc");
            assertThat(store.take(4096, 4).memory().isOpen()).isTrue();
            assertThat(StandInDriver.calls("cuMemHostAlloc")).isEqualTo(allocated);
            word.segment().set(ValueLayout.JAVA_INT, 0, 1);
        }
    }
}
