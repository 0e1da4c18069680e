// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.StandInDriver;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A context of the stand-in GPU, a folder, and that nothing stays open. */
@ExtendWith({StandInDriver.class, StandInCuFile.class})
abstract class StorageFixture {
    static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    CudaContext context;
    private final Random random = new Random(20_261_124);

    @BeforeEach
    void openContext() {
        context = Cuda.device(0).createContext();
    }

    @AfterEach
    void nothingStaysOpen() {
        context.close();
        assertThat(StandInDriver.open()).isEmpty();
        assertThat(StandInCuFile.open()).isEmpty();
    }

    final byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    final Path file(byte[] contents) throws IOException {
        return Files.write(Files.createTempFile(folder, "f", ""), contents);
    }

    final DeviceMemory memory(byte[] contents) {
        DeviceMemory memory = context.allocate(contents.length);
        try (Arena arena = Arena.ofConfined()) {
            memory.copyFrom(arena.allocateFrom(ValueLayout.JAVA_BYTE, contents));
        }
        return memory;
    }

    static byte[] contents(DeviceMemory memory) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(memory.size());
            memory.copyTo(segment);
            return segment.toArray(ValueLayout.JAVA_BYTE);
        }
    }
}
