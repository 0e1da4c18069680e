// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.gpudirect.internal.UdevDatabase;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;

/**
 * Which path files take here, and whether each kind of transfer brings its bytes: step 7 of scripts/evidence gpu. The
 * arguments are a folder and paths. Ends with status 1 if bytes are wrong, or a path that was taken fails.
 */
final class EvidenceStorage {
    private static final int SIZE = 9_000_001;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private EvidenceStorage() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createTempDirectory(Path.of(arguments[0]), "storage");
        boolean right = true;
        String device = UdevDatabase.deviceOf(folder);
        System.out.printf(
                "cuFile needs the udev record of %s (%s): %s%n",
                device,
                Files.getFileStore(folder),
                UdevDatabase.missing(Path.of("/"), device).orElse("it knows the file system"));
        try (CudaContext context = Cuda.device(0).createContext()) {
            for (int i = 1; i < arguments.length; i++) {
                StoragePath path = StoragePath.valueOf(arguments[i]);
                right &= passes(context, folder.resolve(path.name()), path);
            }
        } finally {
            Files.delete(folder);
        }
        System.exit(right ? 0 : 1);
    }

    private static boolean passes(CudaContext context, Path file, StoragePath path) throws IOException {
        try (GpuStorage storage =
                GpuStorage.on(context, config -> config.only(path).timeout(LIMIT))) {
            storage.driver().ifPresent(driver -> System.out.println(driver + ": " + driver.properties()));
            try (GpuFile opened = storage.open(file, READ, WRITE, CREATE_NEW)) {
                System.out.println(opened.decision() + (opened.isDirectIo() ? ", O_DIRECT" : ", no O_DIRECT"));
                return transfers(context, storage, opened);
            } catch (StoragePathUnavailableException e) {
                System.out.println(path + ": not possible here: " + e.refusals());
                return true;
            } finally {
                Files.deleteIfExists(file);
            }
        }
    }

    private static boolean transfers(CudaContext context, GpuStorage storage, GpuFile file) {
        byte[] data = new byte[SIZE];
        new Random(1).nextBytes(data);
        try (DeviceMemory source = context.allocate(SIZE);
                DeviceMemory target = context.allocate(SIZE);
                CudaStream stream = context.createStream();
                Arena arena = Arena.ofConfined()) {
            source.copyFrom(arena.allocateFrom(ValueLayout.JAVA_BYTE, data));
            boolean right = step("write and read", target, data, () -> {
                file.write(source, 0, 0, SIZE);
                file.read(target, 0, 0, SIZE);
            });
            right &= step("read behind the end", target, data, () -> {
                if (file.read(target, 1, 1, SIZE - 1) != SIZE - 1 || file.read(target, 0, SIZE, 4096) != 0) {
                    throw new IllegalStateException("the end of the file is elsewhere");
                }
                file.read(target, 0, 0, 1);
            });
            right &= step("registered memory", target, data, () -> {
                try (RegisteredMemory registered = storage.register(target)) {
                    System.out.println("  " + registered);
                    file.read(target, 0, 0, SIZE);
                }
            });
            right &= step("in the order of a stream", target, data, () -> {
                StreamTransfer write = file.writeAsync(stream, source, 0, 0, SIZE);
                StreamTransfer read = file.readAsync(stream, target, 0, 0, SIZE);
                if (!read.await(LIMIT) || !write.await(LIMIT) || read.bytes() != SIZE || write.bytes() != SIZE) {
                    throw new IllegalStateException(write + "; " + read);
                }
            });
            right &= step("a batch", target, data, () -> {
                try (GpuFileBatch batch = storage.batch(16)) {
                    int part = (SIZE + 15) / 16;
                    for (int i = 0; i < 16; i++) {
                        batch.read(i, file, target, (long) i * part, (long) i * part, Math.min(part, SIZE - i * part));
                    }
                    batch.submit();
                    int over = batch.await(16, LIMIT);
                    for (int i = 0; i < over; i++) {
                        batch.bytes(i);
                    }
                    System.out.println("  " + over + " of 16 are over");
                }
            });
            return right;
        }
    }

    /** The target is emptied before, and compared behind it. */
    private static boolean step(String name, DeviceMemory target, byte[] expected, Runnable action) {
        target.fill(0, SIZE, (byte) 0);
        String answer;
        try (Arena arena = Arena.ofConfined()) {
            long start = System.nanoTime();
            action.run();
            long millis = (System.nanoTime() - start) / 1_000_000;
            MemorySegment copy = arena.allocate(SIZE);
            target.copyTo(copy);
            int wrong = Arrays.mismatch(copy.toArray(ValueLayout.JAVA_BYTE), expected);
            answer = wrong < 0 ? "right, %d ms".formatted(millis) : "WRONG from byte " + wrong + " on";
        } catch (UnsupportedOperationException e) {
            System.out.println("  " + name + ": " + e.getMessage());
            return true;
        } catch (RuntimeException e) {
            answer = "FAILED: " + e.getMessage();
        }
        System.out.println("  " + name + ": " + answer);
        return answer.startsWith("right");
    }
}
