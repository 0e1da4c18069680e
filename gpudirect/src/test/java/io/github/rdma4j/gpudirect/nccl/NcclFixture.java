// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.StandInDriver;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** Three GPUs of the stand-in, with a stream each, and that nothing stays open. */
@ExtendWith({StandInDriver.class, StandInNccl.class})
abstract class NcclFixture {
    static final Duration LIMIT = Duration.ofSeconds(20);
    static final int RANKS = 3;

    final List<CudaContext> contexts = new ArrayList<>();
    final List<CudaStream> streams = new ArrayList<>();
    List<NcclCommunicator> communicators = List.of();

    @BeforeEach
    void openContexts() {
        StandInDriver.devices(RANKS);
        for (int i = 0; i < RANKS; i++) {
            contexts.add(Cuda.device(i).retainPrimaryContext());
            streams.add(contexts.get(i).createStream());
        }
    }

    @AfterEach
    void nothingStaysOpen() {
        communicators.forEach(NcclCommunicator::close);
        contexts.forEach(CudaContext::close);
        assertThat(StandInDriver.open()).isEmpty();
        assertThat(StandInNccl.open()).isEmpty();
    }

    final void initAll(Consumer<NcclConfig> settings) {
        communicators = NcclCommunicator.initAll(contexts, settings);
    }

    /** One call of each rank, as a group, and until it is done. */
    interface OfRank {
        void call(NcclCommunicator communicator, int rank, CudaStream stream);
    }

    final void all(OfRank call) {
        NcclGroup.run(() -> {
            for (NcclCommunicator each : communicators) {
                call.call(each, each.rank(), streams.get(each.rank()));
            }
        });
        // One that does not block has put its work into the stream only then.
        communicators.forEach(each -> each.await(LIMIT));
        communicators.forEach(
                each -> assertThat(each.await(streams.get(each.rank()), LIMIT)).isTrue());
    }

    final DeviceMemory floats(int rank, float... values) {
        DeviceMemory memory = contexts.get(rank).allocate((long) values.length * Float.BYTES);
        try (Arena arena = Arena.ofConfined()) {
            memory.copyFrom(arena.allocateFrom(ValueLayout.JAVA_FLOAT, values));
        }
        return memory;
    }

    static float[] floats(DeviceMemory memory) {
        return copied(memory).toArray(ValueLayout.JAVA_FLOAT);
    }

    static MemorySegment copied(DeviceMemory memory) {
        MemorySegment segment = Arena.ofAuto().allocate(memory.size());
        memory.copyTo(segment);
        return segment;
    }
}
