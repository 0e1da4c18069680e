// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A C tool. Its output goes to a file, so that none is lost when it is killed. */
final class ProcessSide implements Side {
    private final Path file;
    private final Process process;

    ProcessSide(List<String> command) throws IOException {
        file = Files.createTempFile("rdma4j-interop", ".out");
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(file.toFile())
                .start();
    }

    @Override
    public Integer await(Duration limit) throws InterruptedException {
        return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS) ? process.exitValue() : null;
    }

    @Override
    public String output() throws IOException {
        return Files.readString(file);
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.deleteIfExists(file);
    }
}
