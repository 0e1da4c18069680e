// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** docs/cuda.md: what it shows compiles and runs. */
@ExtendWith(StandInDriver.class)
class CudaGuideTest {
    private static final Path PROJECT =
            StandInBuild.source().resolve("../../../../..").normalize();
    private static final Pattern SNIPPET = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    @Test
    void whatTheGuideShowsIsWhatIsCompiled() throws IOException {
        String guide = Files.readString(PROJECT.resolve("docs/cuda.md"));
        String source =
                words(Files.readString(PROJECT.resolve("cuda-ffm/src/test/java/io/github/rdma4j/cuda/CudaGuide.java")));
        Matcher snippets = SNIPPET.matcher(guide);
        int count = 0;
        while (snippets.find()) {
            assertThat(source).contains(words(snippets.group(1)));
            count++;
        }
        assertThat(count).isGreaterThanOrEqualTo(9);
    }

    private static String words(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }

    @Test
    void whatTheGuideShowsWorks(@TempDir Path folder) throws Exception {
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
        }
        assertThat(StandInDriver.open()).isEmpty();
    }
}
