// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.gpudirect.storage.bindings.CUfileDescr_t;
import io.github.rdma4j.gpudirect.storage.bindings.CuFileHeaders;
import io.github.rdma4j.gpudirect.storage.internal.CuFileCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Transfers by cuFile. cuFile decides whether it uses GPUDirect Storage or its compatibility mode. */
final class CuFileAccess implements FileAccess {
    private static final int INPUT_OUTPUT_ERROR = 5;
    private static final long SIZE = 0;
    private static final long FILE_OFFSET = 8;
    private static final long MEMORY_OFFSET = 16;
    private static final long BYTES = 24;

    private final GpuStorage storage;
    private final GpuFile file;
    private final OpenFile io;
    private final CuFileCalls calls;
    private final long handle;

    private CuFileAccess(GpuStorage storage, GpuFile file, OpenFile io, CuFileCalls calls, long handle) {
        this.storage = storage;
        this.file = file;
        this.io = io;
        this.calls = calls;
        this.handle = handle;
    }

    /**
     * Registers the file with cuFile (cuFileHandleRegister).
     *
     * @throws CuFileException if it refuses
     */
    static CuFileAccess register(GpuStorage storage, GpuFile file, OpenFile io) {
        CuFileCalls calls = storage.cuFileCalls();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment description = CUfileDescr_t.allocate(arena);
            CUfileDescr_t.type(description, CuFileHeaders.CU_FILE_HANDLE_TYPE_OPAQUE_FD());
            CUfileDescr_t.handle.fd(CUfileDescr_t.handle(description), io.descriptor());
            MemorySegment handle = arena.allocate(ValueLayout.JAVA_LONG);
            storage.context().makeCurrentForCall();
            CuFileDriver.require(
                    calls.handleRegister(handle.address(), description.address()),
                    "cuFileHandleRegister(%s)".formatted(io.path()));
            return new CuFileAccess(storage, file, io, calls, handle.get(ValueLayout.JAVA_LONG, 0));
        }
    }

    long handle() {
        return handle;
    }

    @Override
    public long transfer(boolean write, DeviceMemory memory, long memoryOffset, long fileOffset, long length) {
        MemoryUse use = storage.use(memory);
        try {
            long base = memory.deviceAddress();
            long done = 0;
            while (done < length) {
                storage.context().makeCurrentForCall();
                long result = write
                        ? calls.write(handle, base, length - done, fileOffset + done, memoryOffset + done)
                        : calls.read(handle, base, length - done, fileOffset + done, memoryOffset + done);
                if (result < 0 || result == 0 && write) {
                    throw Failures.of(
                            result < 0 ? -result : INPUT_OUTPUT_ERROR,
                            describe(write, fileOffset + done, length - done),
                            done);
                }
                done += result;
                // Does not read after the end of the file: some versions of cuFile refuse such an offset.
                if (!write && (result == 0 || done < length && fileOffset + done >= io.size())) {
                    break;
                }
            }
            return done;
        } finally {
            use.exit();
        }
    }

    private String describe(boolean write, long offset, long length) {
        return "%s(%s, offset=%d, length=%d)".formatted(write ? "cuFileWrite" : "cuFileRead", file, offset, length);
    }

    @Override
    public StreamTransfer queue(
            boolean write, CudaStream stream, DeviceMemory memory, long memoryOffset, long fileOffset, long length) {
        String call = "%s(%s, offset=%d, length=%d)"
                .formatted(write ? "cuFileWriteAsync" : "cuFileReadAsync", file, fileOffset, length);
        MemorySegment words = storage.streams().takeArguments();
        MemoryUse use = null;
        StreamRegistration registration;
        StreamTransfer transfer;
        try {
            requireStreams();
            registration = storage.streams().register(stream, calls);
            MemoryUse held = storage.use(memory);
            use = held;
            transfer = new StreamTransfer(storage, () -> outcome(words), () -> true, () -> release(held, words), call);
        } catch (RuntimeException | Error e) {
            release(use, words);
            throw e;
        }
        synchronized (registration) {
            try {
                registration.requireOpen();
                words.set(ValueLayout.JAVA_LONG, SIZE, length);
                words.set(ValueLayout.JAVA_LONG, FILE_OFFSET, fileOffset);
                words.set(ValueLayout.JAVA_LONG, MEMORY_OFFSET, memoryOffset);
                words.set(ValueLayout.JAVA_LONG, BYTES, 0);
                submit(write, stream, memory, words, call);
            } catch (RuntimeException | Error e) {
                transfer.giveUp();
                throw e;
            }
            try {
                transfer.record(stream);
            } catch (RuntimeException e) {
                if (transfer.awaitRest(stream, e)) {
                    transfer.giveUp();
                } else {
                    transfer.follow(stream);
                }
                throw e;
            }
            return transfer;
        }
    }

    private void submit(boolean write, CudaStream stream, DeviceMemory memory, MemorySegment words, String call) {
        long base = memory.deviceAddress();
        long queue = stream.handle();
        long at = words.address();
        storage.context().makeCurrentForCall();
        CuFileDriver.require(
                write
                        ? calls.writeAsync(
                                handle, base, at + SIZE, at + FILE_OFFSET, at + MEMORY_OFFSET, at + BYTES, queue)
                        : calls.readAsync(
                                handle, base, at + SIZE, at + FILE_OFFSET, at + MEMORY_OFFSET, at + BYTES, queue),
                call);
    }

    private static long outcome(MemorySegment words) {
        long bytes = words.get(ValueLayout.JAVA_LONG, BYTES);
        return bytes == -1 ? -Failures.UNREPORTED : bytes;
    }

    private void requireStreams() {
        if (!calls.hasStreams()) {
            throw new UnsupportedOperationException(calls.file() + " has no cuFileReadAsync and cuFileWriteAsync."
                    + " Install cuFile of CUDA 12.2 or later, or take the staged path"
                    + " (StorageConfig.only(STAGED)), which has stream-ordered transfers everywhere");
        }
    }

    private void release(MemoryUse use, MemorySegment words) {
        storage.streams().giveBack(words);
        if (use != null) {
            use.exit();
        }
        file.exit();
    }

    @Override
    public void close() {
        storage.giveBack(() -> calls.handleDeregister(handle));
    }
}
