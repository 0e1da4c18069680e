// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.ModuleCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Optional;

/**
 * A kernel of a {@link CudaModule}, which {@link CudaStream#launch} launches. It is closed with its module.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class CudaKernel extends GuardedResource {
    private final String name;
    /** In bytes; null if the driver does not report it. */
    private final int[] parameterSizes;

    CudaKernel(CudaModule module, long pointer, String name) {
        super(module, module.context(), pointer);
        this.name = name;
        this.parameterSizes = parameterSizes(pointer);
    }

    /** Queries one parameter after the other, until there is none. */
    private static int[] parameterSizes(long function) {
        int[] sizes = new int[16];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment offset = arena.allocate(ValueLayout.JAVA_LONG);
            MemorySegment size = arena.allocate(ValueLayout.JAVA_LONG);
            for (int count = 0; ; count++) {
                int result = ModuleCalls.functionGetParameter(function, count, offset, size);
                if (result == CudaHeaders.CUDA_ERROR_INVALID_VALUE()) {
                    return Arrays.copyOf(sizes, count);
                }
                if (result == CudaHeaders.CUDA_ERROR_NOT_SUPPORTED()) {
                    return null;
                }
                Results.check(result, "cuFuncGetParamInfo(function=0x%x, index=%d)".formatted(function, count));
                if (count == sizes.length) {
                    sizes = Arrays.copyOf(sizes, 2 * count);
                }
                sizes[count] = Math.toIntExact(size.get(ValueLayout.JAVA_LONG, 0));
            }
        } catch (UnsupportedCudaCallException e) {
            return null;
        }
    }

    /** {@return its name in the module} */
    public String name() {
        return name;
    }

    /**
     * Returns the size in bytes of each parameter (cuFuncGetParamInfo).
     *
     * @return the sizes; empty before CUDA 12.4
     */
    public Optional<int[]> parameterSizes() {
        return Optional.ofNullable(parameterSizes).map(int[]::clone);
    }

    /** Returns the size of each parameter in bytes, read-only; null if the driver does not report it. */
    int[] knownParameterSizes() {
        return parameterSizes;
    }

    /**
     * Creates arguments with the sizes of this kernel's parameters.
     *
     * @return the arguments, none of which is set
     * @throws UnsupportedCudaCallException before CUDA 12.4: use {@link KernelArguments#of} or
     *     {@link KernelArguments#ofSizes}
     */
    public KernelArguments newArguments() {
        if (parameterSizes == null) {
            throw new UnsupportedCudaCallException(
                    "cuFuncGetParamInfo", 12040, Cuda.driverVersion().number());
        }
        return KernelArguments.ofSizes(parameterSizes);
    }

    /**
     * Returns an attribute (cuFuncGetAttribute).
     *
     * @param attribute the attribute
     * @return its value
     */
    public int attribute(KernelAttribute attribute) {
        enter();
        try (Arena arena = Arena.ofConfined()) {
            context().bind();
            MemorySegment value = arena.allocate(ValueLayout.JAVA_INT);
            Results.check(
                    ModuleCalls.functionGetAttribute(value, attribute.code(), pointer),
                    "cuFuncGetAttribute(%s, %s)".formatted(attribute, name));
            return value.get(ValueLayout.JAVA_INT, 0);
        } finally {
            exit();
        }
    }

    /**
     * Permits launches with more dynamic shared memory than the 48 KiB that every kernel may use (cuFuncSetAttribute).
     *
     * @param bytes of a block, up to {@link DeviceAttribute#MAX_SHARED_MEMORY_PER_BLOCK_OPTIN} minus the kernel's
     *     static shared memory
     * @throws IllegalArgumentException if it is negative or too large
     */
    public void allowSharedMemory(int bytes) {
        enter();
        try {
            context().bind();
            int most = context().device().attribute(DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
                    - attribute(KernelAttribute.SHARED_SIZE_BYTES);
            if (bytes < 0 || bytes > most) {
                throw new IllegalArgumentException(
                        "%d bytes of dynamic shared memory; kernel '%s' can have 0 to %d on %s"
                                .formatted(bytes, name, most, context().device()));
            }
            Results.check(
                    ModuleCalls.functionSetAttribute(
                            pointer, CudaHeaders.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES(), bytes),
                    "cuFuncSetAttribute(MAX_DYNAMIC_SHARED_SIZE_BYTES=%d, %s)".formatted(bytes, name));
        } finally {
            exit();
        }
    }

    /**
     * Returns the block size that fills the device best (cuOccupancyMaxPotentialBlockSize).
     *
     * @param sharedBytes dynamic shared memory of each block
     * @param limit the most threads of a block that the kernel supports; 0 for only the device's limit
     * @return the sizes
     */
    public Occupancy occupancy(int sharedBytes, int limit) {
        enter();
        try (Arena arena = Arena.ofConfined()) {
            context().bind();
            MemorySegment grid = arena.allocate(ValueLayout.JAVA_INT);
            MemorySegment block = arena.allocate(ValueLayout.JAVA_INT);
            Results.check(
                    ModuleCalls.occupancyMaxPotentialBlockSize(grid, block, pointer, 0, sharedBytes, limit),
                    "cuOccupancyMaxPotentialBlockSize(%s, shared=%d, limit=%d)".formatted(name, sharedBytes, limit));
            return new Occupancy(grid.get(ValueLayout.JAVA_INT, 0), block.get(ValueLayout.JAVA_INT, 0));
        } finally {
            exit();
        }
    }

    /** Throws if the driver refused a launch. */
    void requireLaunched(int result, CudaStream stream, String sizes) {
        if (result == Results.SUCCESS) {
            return;
        }
        String call = "cuLaunchKernel(%s, %s)".formatted(name, sizes);
        if (stream.context().handle() != context().handle()) {
            throw Results.failure(result, call, "the stream and the kernel are of different contexts");
        }
        if (result == CudaHeaders.CUDA_ERROR_INVALID_VALUE()
                || result == CudaHeaders.CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES()) {
            throw Results.failure(result, call, limits());
        }
        throw Results.failure(result, call);
    }

    private String limits() {
        try {
            return "the kernel can have %d threads in a block, and %d bytes of dynamic shared memory"
                    .formatted(
                            attribute(KernelAttribute.MAX_THREADS_PER_BLOCK),
                            attribute(KernelAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES));
        } catch (CudaException e) {
            // The launch failure is still reported, without the limits.
            return "";
        }
    }

    /** The module unloads it. */
    @Override
    void release() {}

    /** {@return its name} */
    @Override
    public String toString() {
        return "kernel " + name;
    }
}
