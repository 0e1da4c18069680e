// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that a mirror that could not be made leaves nothing. */
@ExtendWith(StandInDriver.class)
class StagedMirrorTest {
    @Test
    void closeOfTheContextMeanwhileLeavesNoRegistration() {
        CudaContext context = Cuda.device(0).createContext();
        DeviceMemory memory = context.allocate(4096);
        MemoryRegion[] made = new MemoryRegion[1];
        assertThatIllegalStateException()
                .isThrownBy(() -> StagedMirror.make(
                        segment -> {
                            made[0] = MemoryRegion.withoutAdapter(segment, AccessFlag.LOCAL_WRITE);
                            context.close();
                            return made[0];
                        },
                        memory.slice()))
                .withMessageContaining("is closed");
        assertThat(made[0].isOpen()).isFalse();
        assertThat(StandInDriver.open()).isEmpty();
    }
}
