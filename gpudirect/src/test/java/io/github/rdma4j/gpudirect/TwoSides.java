// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.gpudirect.GpuSide.Where;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of two connected channels, of which the left one's memory begins with bytes that are known. */
abstract class TwoSides {
    static final int CHUNK = 4096;
    static final int SIZE = 16 * CHUNK;
    static final int LENGTH = 9 * CHUNK + 5;
    static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    GpuSide left;
    GpuSide right;
    byte[] bytes;

    /** The devices are open, and no queue pair is made. */
    void beforeConnecting() {}

    void connect(Where mine, Where theirs) {
        left = new GpuSide(mine, folder, config -> config.chunkSize(CHUNK)).allocate(SIZE);
        right = new GpuSide(theirs, folder, config -> config.chunkSize(CHUNK)).allocate(SIZE);
        beforeConnecting();
        GpuSide.connect(left, right);
        bytes = new byte[LENGTH];
        new Random(7).nextBytes(bytes);
        left.fill(0, bytes);
    }

    @AfterEach
    void close() {
        for (GpuSide side : new GpuSide[] {left, right}) {
            if (side != null) {
                side.close();
            }
        }
    }

    void finish(Transfer... transfers) {
        GpuSide.finish(left, right, transfers);
    }
}
