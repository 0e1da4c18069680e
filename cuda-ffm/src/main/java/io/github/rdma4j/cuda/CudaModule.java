// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.ModuleCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Loaded code: kernels and variables, by name. Closing it waits for all work of the context, and closes its kernels and
 * variables.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class CudaModule extends GuardedResource {
    private static final int LOG_BYTES = 8192;

    private final String description;

    private CudaModule(CudaContext context, long pointer, String description) {
        super(context, pointer);
        this.description = description;
    }

    static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException("the module " + file + " cannot be read: " + e, e);
        }
    }

    static CudaModule load(CudaContext context, String ptx) {
        if (!ptx.contains(".version")) {
            throw new IllegalArgumentException(
                    "this is not PTX, which has a line '.version ...': '%s'; pass a file as a Path"
                            .formatted(ptx.length() > 100 ? ptx.substring(0, 100) + "..." : ptx));
        }
        byte[] image = ptx.getBytes(StandardCharsets.UTF_8);
        return load(context, image, "module of %d bytes of PTX".formatted(image.length));
    }

    static CudaModule load(CudaContext context, byte[] image, String description) {
        if (image.length == 0) {
            throw new IllegalArgumentException("an empty module");
        }
        try (Arena arena = Arena.ofConfined()) {
            // PTX must end with a NUL. For other formats, one more byte has no effect.
            MemorySegment data = arena.allocate(image.length + 1L, 16);
            MemorySegment.copy(image, 0, data, ValueLayout.JAVA_BYTE, 0, image.length);
            MemorySegment log = arena.allocate(LOG_BYTES);
            MemorySegment options = arena.allocateFrom(
                    ValueLayout.JAVA_INT,
                    CudaHeaders.CU_JIT_ERROR_LOG_BUFFER(),
                    CudaHeaders.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES());
            MemorySegment values = arena.allocateFrom(ValueLayout.JAVA_LONG, log.address(), LOG_BYTES);
            MemorySegment module = arena.allocate(ValueLayout.JAVA_LONG);
            int result = ModuleCalls.loadData(module, data, 2, options, values);
            if (result != Results.SUCCESS) {
                throw Results.failure(
                        result, "cuModuleLoadDataEx(%s)".formatted(description), explain(context, result, log));
            }
            return new CudaModule(context, module.get(ValueLayout.JAVA_LONG, 0), description);
        }
    }

    private static String explain(CudaContext context, int result, MemorySegment log) {
        log.set(ValueLayout.JAVA_BYTE, LOG_BYTES - 1, (byte) 0);
        String message = log.getString(0).strip();
        if (!message.isEmpty()) {
            return "the compiler says: " + message;
        }
        return result == CudaHeaders.CUDA_ERROR_NO_BINARY_FOR_GPU()
                ? "%s has compute capability %d"
                        .formatted(context.device(), context.device().computeCapability())
                : "";
    }

    /**
     * Returns a kernel (cuModuleGetFunction).
     *
     * @param name the name in the code; the name of a C++ function is mangled unless it is {@code extern "C"}
     * @return the kernel
     * @throws IllegalArgumentException if there is no kernel with this name
     */
    public CudaKernel kernel(String name) {
        return create(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment function = arena.allocate(ValueLayout.JAVA_LONG);
                int result = ModuleCalls.getFunction(function, pointer, arena.allocateFrom(name));
                if (result == CudaHeaders.CUDA_ERROR_NOT_FOUND()) {
                    throw new IllegalArgumentException(
                            "%s has no kernel '%s'; the name of a C++ function is mangled unless it is extern \"C\""
                                    .formatted(this, name));
                }
                Results.check(result, "cuModuleGetFunction(" + name + ")");
                return new CudaKernel(this, function.get(ValueLayout.JAVA_LONG, 0), name);
            }
        });
    }

    /**
     * Returns the memory of a variable (cuModuleGetGlobal).
     *
     * @param name the name in the code
     * @return the memory, which is valid until this is closed
     * @throws IllegalArgumentException if there is no variable with this name
     */
    public DeviceMemory global(String name) {
        return create(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment address = arena.allocate(ValueLayout.JAVA_LONG);
                MemorySegment size = arena.allocate(ValueLayout.JAVA_LONG);
                int result = ModuleCalls.getGlobal(address, size, pointer, arena.allocateFrom(name));
                if (result == CudaHeaders.CUDA_ERROR_NOT_FOUND()) {
                    throw new IllegalArgumentException("%s has no variable '%s'".formatted(this, name));
                }
                Results.check(result, "cuModuleGetGlobal(" + name + ")");
                return new DeviceMemory(
                        this,
                        context(),
                        address.get(ValueLayout.JAVA_LONG, 0),
                        size.get(ValueLayout.JAVA_LONG, 0),
                        DeviceMemory.Kind.GLOBAL,
                        false,
                        Freeing.NOTHING);
            }
        });
    }

    @Override
    boolean isUsedByWork() {
        return true;
    }

    @Override
    void release() {
        Results.check(ModuleCalls.unload(pointer), "cuModuleUnload()");
    }

    /** {@return the origin of the code} */
    @Override
    public String toString() {
        return description;
    }
}
