// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Devices, contexts and memory, on the stand-in. */
@ExtendWith(StandInDriver.class)
class MemoryTest extends MemoryBehaviour {
    /**
     * Our streams do not wait for the default stream, which does these: a kernel that is launched next must see them
     * all the same.
     */
    @Test
    void copiesAndFillsAreDoneWhenTheyReturn() {
        DeviceMemory memory = context.allocate(4096);
        DeviceMemory other = context.allocate(4096);
        MemorySegment pageable = pattern(4096);
        HostMemory back = context.allocateHost(4096);
        CudaStream stream = context.createStream();
        StandInDriver.copyDelay(20_000, 0);
        memory.copyFrom(pageable);
        assertThat(StandInDriver.get("bytes.htod")).isEqualTo(4096);
        other.copyFrom(0, memory.slice());
        assertThat(StandInDriver.get("bytes.dtod")).isEqualTo(4096);
        other.fillWords(4, 1, 0x07070707);
        other.fill(0, 4, (byte) 7);
        stream.copyToHost(back, 0, other, 0, 4096);
        await(stream);
        assertThat(back.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(0x0707070707070707L);
        assertThat(back.segment().asSlice(8).mismatch(pageable.asSlice(8))).isEqualTo(-1);
    }

    @Override
    @AfterEach
    void closeContext() {
        super.closeContext();
        assertThat(StandInDriver.open()).as("what is left open").isEmpty();
    }
}
