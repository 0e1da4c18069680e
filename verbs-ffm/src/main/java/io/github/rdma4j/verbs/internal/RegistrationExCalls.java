// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.OptionalInt;

/**
 * ibv_reg_mr_ex(3) and DMA handles (ibv_alloc_dmah(3)), of rdma-core 59, and the buffers that a provider allocates
 * (ibv_alloc_buf(3)), of rdma-core 64. Their structures are not in the bindings, which are of version 44.
 */
public final class RegistrationExCalls {
    private static final LaterVerbs REG_MR_EX =
            new LaterVerbs("ibv_reg_mr_ex", 59, FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));
    private static final LaterVerbs ALLOC_DMAH =
            new LaterVerbs("ibv_alloc_dmah", 59, FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));
    private static final LaterVerbs DEALLOC_DMAH =
            new LaterVerbs("ibv_dealloc_dmah", 59, FunctionDescriptor.of(JAVA_INT, ADDRESS));
    private static final LaterVerbs ALLOC_BUF =
            new LaterVerbs("ibv_alloc_buf", 64, FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));
    private static final LaterVerbs FREE_BUF = new LaterVerbs("ibv_free_buf", 64, FunctionDescriptor.ofVoid(ADDRESS));
    private static final LaterVerbs REG_BUF_MR = new LaterVerbs(
            "ibv_reg_buf_mr", 64, FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final LaterVerbs EXPORT_BUF =
            new LaterVerbs("ibv_export_buf_dmabuf_fd", 65, FunctionDescriptor.of(JAVA_INT, ADDRESS));

    /** Offsets in {@code struct ibv_mr_init_attr}. */
    private static final int LENGTH = 0;

    private static final int ACCESS = 8;
    private static final int COMP_MASK = 16;
    private static final int IOVA = 24;
    private static final int ADDR = 32;
    private static final int FD = 40;
    private static final int FD_OFFSET = 48;
    private static final int DMAH = 56;
    private static final int MR_INIT_ATTR_SIZE = 72;
    private static final long MASK_IOVA = 1;
    private static final long MASK_ADDR = 1 << 1;
    private static final long MASK_FD = 1 << 2;
    private static final long MASK_FD_OFFSET = 1 << 3;
    private static final long MASK_DMAH = 1 << 4;

    private static final int DMAH_INIT_ATTR_SIZE = 12;

    private RegistrationExCalls() {}

    /**
     * ibv_reg_mr_ex(3) of host memory.
     *
     * @param pd the protection domain
     * @param address of the first byte
     * @param length in bytes
     * @param iova the address of the first byte in work requests
     * @param dmaHandle the {@code struct ibv_dmah}
     * @param access flags of {@code enum ibv_access_flags}
     * @return the region, or NULL
     */
    public static MemorySegment regHost(
            MemorySegment pd, long address, long length, long iova, MemorySegment dmaHandle, int access) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(MR_INIT_ATTR_SIZE, Long.BYTES);
            attributes.set(JAVA_LONG, COMP_MASK, MASK_IOVA | MASK_ADDR | MASK_DMAH);
            attributes.set(JAVA_LONG, ADDR, address);
            return regMrEx(pd, attributes, length, iova, dmaHandle, access);
        }
    }

    /**
     * ibv_reg_mr_ex(3) of a dma-buf.
     *
     * @param pd the protection domain
     * @param fd the dma-buf
     * @param offset of the first byte in it
     * @param length in bytes
     * @param iova the address of the first byte in work requests
     * @param dmaHandle the {@code struct ibv_dmah}
     * @param access flags of {@code enum ibv_access_flags}
     * @return the region, or NULL
     */
    public static MemorySegment regDmaBuf(
            MemorySegment pd, int fd, long offset, long length, long iova, MemorySegment dmaHandle, int access) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(MR_INIT_ATTR_SIZE, Long.BYTES);
            attributes.set(JAVA_LONG, COMP_MASK, MASK_IOVA | MASK_FD | MASK_FD_OFFSET | MASK_DMAH);
            attributes.set(JAVA_INT, FD, fd);
            attributes.set(JAVA_LONG, FD_OFFSET, offset);
            return regMrEx(pd, attributes, length, iova, dmaHandle, access);
        }
    }

    private static MemorySegment regMrEx(
            MemorySegment pd, MemorySegment attributes, long length, long iova, MemorySegment dmaHandle, int access) {
        attributes.set(JAVA_LONG, LENGTH, length);
        attributes.set(JAVA_INT, ACCESS, access);
        attributes.set(JAVA_LONG, IOVA, iova);
        attributes.set(ADDRESS, DMAH, dmaHandle);
        MethodHandle handle = REG_MR_EX.handle();
        try {
            return (MemorySegment) handle.invokeExact(REG_MR_EX.address(), NativeCalls.capture(), pd, attributes);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_alloc_dmah(3).
     *
     * @param context the device's context
     * @param cpu the processor, if given
     * @param processingHint the hint, if given
     * @param memoryType of {@code enum ibv_tph_mem_type}, if given
     * @return the DMA handle, or NULL
     */
    public static MemorySegment allocDmaHandle(
            MemorySegment context, OptionalInt cpu, OptionalInt processingHint, OptionalInt memoryType) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(DMAH_INIT_ATTR_SIZE, Integer.BYTES);
            int mask = (cpu.isPresent() ? 1 : 0)
                    | (processingHint.isPresent() ? 1 << 1 : 0)
                    | (memoryType.isPresent() ? 1 << 2 : 0);
            attributes.set(JAVA_INT, 0, mask);
            attributes.set(JAVA_INT, 4, cpu.orElse(0));
            attributes.set(JAVA_BYTE, 8, (byte) processingHint.orElse(0));
            attributes.set(JAVA_BYTE, 9, (byte) memoryType.orElse(0));
            MethodHandle handle = ALLOC_DMAH.handle();
            return (MemorySegment) handle.invokeExact(ALLOC_DMAH.address(), NativeCalls.capture(), context, attributes);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_dealloc_dmah(3).
     *
     * @param dmaHandle the {@code struct ibv_dmah}
     * @return 0 or an errno
     */
    public static int deallocDmaHandle(MemorySegment dmaHandle) {
        MethodHandle handle = DEALLOC_DMAH.handle();
        try {
            return (int) handle.invokeExact(DEALLOC_DMAH.address(), NativeCalls.capture(), dmaHandle);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_alloc_buf(3).
     *
     * @param pd the protection domain
     * @param size in bytes
     * @param buffer where the {@code struct ibv_buf *} goes
     * @return the memory, or NULL
     */
    public static MemorySegment allocBuffer(MemorySegment pd, long size, MemorySegment buffer) {
        MethodHandle handle = ALLOC_BUF.handle();
        try {
            return (MemorySegment) handle.invokeExact(ALLOC_BUF.address(), NativeCalls.capture(), pd, size, buffer);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_free_buf(3).
     *
     * @param buffer the {@code struct ibv_buf}
     */
    public static void freeBuffer(MemorySegment buffer) {
        MethodHandle handle = FREE_BUF.handle();
        try {
            handle.invokeExact(FREE_BUF.address(), NativeCalls.capture(), buffer);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_reg_buf_mr(3).
     *
     * @param pd the protection domain that the buffer was allocated in
     * @param buffer the {@code struct ibv_buf}
     * @param address of the first byte
     * @param length in bytes
     * @param access flags of {@code enum ibv_access_flags}
     * @return the region, or NULL
     */
    public static MemorySegment regBuffer(
            MemorySegment pd, MemorySegment buffer, MemorySegment address, long length, int access) {
        MethodHandle handle = REG_BUF_MR.handle();
        try {
            return (MemorySegment) handle.invokeExact(
                    REG_BUF_MR.address(), NativeCalls.capture(), pd, buffer, address, length, access);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_export_buf_dmabuf_fd(3).
     *
     * @param buffer the {@code struct ibv_buf}
     * @return a file descriptor, or -1
     */
    public static int exportBuffer(MemorySegment buffer) {
        MethodHandle handle = EXPORT_BUF.handle();
        try {
            return (int) handle.invokeExact(EXPORT_BUF.address(), NativeCalls.capture(), buffer);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }
}
