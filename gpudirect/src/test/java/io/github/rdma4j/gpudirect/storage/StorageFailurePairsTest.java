// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.gpudirect.FailurePairs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * If two calls of the driver or cuFile fail between the opening and the close of a storage, the first failure is
 * reported.
 */
@ExtendWith({StandInDriver.class, StandInCuFile.class})
class StorageFailurePairsTest {
    private static final int CHUNK = 4096;
    private static final int SIZE = 3 * CHUNK + 10;
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Set<String> OF_CUFILE = Set.of(
            "cuFileDriverOpen",
            "cuFileDriverClose",
            "cuFileDriverGetProperties",
            "cuFileHandleRegister",
            "cuFileBufRegister",
            "cuFileBufDeregister",
            "cuFileRead",
            "cuFileWrite",
            "cuFileReadAsync",
            "cuFileStreamRegister",
            "cuFileStreamDeregister",
            "cuFileBatchIOSetUp",
            "cuFileBatchIOSubmit",
            "cuFileBatchIOGetStatus");

    /** More than any operation makes: waiting asks again and again. */
    private static final int MOST_CALLS = 120;

    @TempDir
    private Path folder;

    private enum Use {
        READ,
        ORDERED,
        BATCH,
        REGISTER
    }

    private void act(Use use, CudaContext context, StoragePath path, Path where) {
        try (GpuStorage storage = GpuStorage.on(
                        context,
                        config -> config.chunkSize(CHUNK).timeout(LIMIT).only(path));
                GpuFile file = storage.open(where, READ, WRITE);
                DeviceMemory memory = context.allocate(SIZE);
                CudaStream stream = context.createStream()) {
            switch (use) {
                case READ -> file.read(memory, 0, 0, SIZE);
                case ORDERED -> {
                    StreamTransfer transfer = file.readAsync(stream, memory, 0, 0, SIZE);
                    transfer.await(LIMIT);
                    transfer.bytes();
                }
                case BATCH -> {
                    try (GpuFileBatch batch = storage.batch(2)) {
                        batch.read(1, file, memory, 0, 0, CHUNK);
                        batch.submit();
                        batch.await(1, LIMIT);
                        batch.bytes(0);
                    }
                }
                case REGISTER -> storage.register(memory).close();
            }
        }
    }

    private Throwable play(Use use, StoragePath path, Path where, Runnable arm, Runnable disarm) {
        StandInDriver.reset();
        StandInDriver.doAtOnce();
        StandInCuFile.whole().reset();
        StandInCuFile.set("module", 0);
        try (CudaContext context = Cuda.device(0).createContext()) {
            arm.run();
            Throwable failure = null;
            try {
                act(use, context, path, where);
            } catch (RuntimeException e) {
                failure = e;
            }
            disarm.run();
            return failure;
        }
    }

    @ParameterizedTest
    @EnumSource(Use.class)
    void firstOfTwoFailuresIsReported(Use use) throws IOException {
        Path where = Files.write(folder.resolve("f"), new byte[SIZE]);
        FailurePairs.Seam cuFile = FailurePairs.of(
                StandInCuFile.whole(),
                CuFileStatus.INTERNAL_ERROR.number(),
                "CU_FILE_INTERNAL_ERROR",
                CuFileStatus.PERMISSION_DENIED.number());
        FailurePairs.Seam driver = FailurePairs.driver();
        FailurePairs pairs = new FailurePairs(cuFile, driver);
        for (StoragePath path : new StoragePath[] {StoragePath.STAGED, StoragePath.COMPATIBLE}) {
            FailurePairs.Play play = (arm, disarm) -> play(use, path, where, arm, disarm);
            String words = use + ", " + path;
            if (path == StoragePath.COMPATIBLE) {
                for (String call : OF_CUFILE) {
                    if (pairs.play(words, cuFile, call, 1, play)) {
                        pairs.play(words, cuFile, call, 2, play);
                    }
                }
            }
            // By cuFile a batch is the work of threads of its own, whose calls have no order.
            if (use != Use.BATCH || path == StoragePath.STAGED) {
                int n = 1;
                while (n < MOST_CALLS && pairs.play(words, driver, "*", n, play)) {
                    n++;
                }
            }
        }
        System.out.printf("fault injection: %s: %d pairs of failures%n", use, pairs.pairs());
        assertThat(pairs.problems()).isEmpty();
        assertThat(pairs.pairs()).isGreaterThan(50);
    }
}
