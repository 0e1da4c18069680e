// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.environment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompilerThreadsTest {
    @TempDir
    Path tasks;

    private void thread(String number, String name, long nanoseconds) throws IOException {
        Path task = Files.createDirectory(tasks.resolve(number));
        Files.writeString(task.resolve("comm"), name + "\n", StandardCharsets.ISO_8859_1);
        Files.writeString(task.resolve("schedstat"), nanoseconds + " 5 6\n");
    }

    /** Of a thread that has ended nothing can be read, and a name that the kernel has cut need not be UTF-8. */
    @Test
    void threadsWithoutANameHideNoCompiler() throws IOException {
        for (int i = 0; i < 10; i++) {
            Files.createDirectory(tasks.resolve("ended" + i));
            thread("cut" + i, "fourteen-bytes\u00c3", 1_000_000_000);
        }
        thread("1", "C2 CompilerThre", 7_000_000);
        thread("2", "C1 CompilerThre", 2_000_000);
        CompilerThreads threads = new CompilerThreads(tasks);
        assertThat(threads.cpuNanoseconds()).isEqualTo(9_000_000);
        assertThat(threads.idleSince(8_500_000)).isTrue();
        assertThat(threads.idleSince(7_900_000)).isFalse();
        assertThat(new CompilerThreads(tasks.resolve("none")).cpuNanoseconds()).isZero();
    }
}
