// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.gpudirect.storage.StandInCuFile;
import io.github.rdma4j.verbs.ExamplePrograms;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The example of docs/gpudirect-storage.md: a tensor file, with cuFile and without. */
@ExtendWith({StandInDriver.class, StandInCuFile.class})
class TensorExampleTest {
    private static final String HEADER = "{\"__metadata__\":{\"format\":\"pt\"},"
            + "\"layer.weight\":{\"dtype\":\"F32\",\"shape\":[100,25],\"data_offsets\":[0,10000]},"
            + "\"layer.bias\":{\"dtype\":\"F16\",\"shape\":[7],\"data_offsets\":[10000,10014]}}";

    @TempDir
    Path folder;

    @Test
    void exampleLoadsEachTensor() throws Exception {
        Path file = folder.resolve("model.safetensors");
        byte[] header = HEADER.getBytes(StandardCharsets.UTF_8);
        Files.write(
                file,
                ByteBuffer.allocate(Long.BYTES + header.length + 10_014)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(header.length)
                        .put(header)
                        .array());
        StandInCuFile.set("module", 0);
        assertThat(output(file))
                .contains("compatibility mode; not by GPUDirect Storage: the kernel module nvidia-fs is not loaded")
                .contains("layer.weight F32 [100,25]: 10000 bytes at")
                .contains("layer.bias F16 [7]: 14 bytes at")
                .contains("2 of 2 tensors, registered");
        assertThat(StandInCuFile.open()).isEmpty();
        StandInCuFile.absent();
        assertThat(output(file)).contains("staged; not by GPUDirect Storage").contains("2 of 2 tensors, staged");
        assertThat(StandInDriver.open()).isEmpty();
    }

    private static String output(Path file) throws Exception {
        return ExamplePrograms.run("LoadTensors", file.toString());
    }
}
