// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static io.github.rdma4j.verbs.internal.ColdCalls.word;

import io.github.rdma4j.verbs.bindings.verbs_context;
import java.lang.foreign.MemorySegment;

/** The verbs that create and change memory regions. Functions that return NULL report the cause in errno. */
public final class RegistrationCalls {
    private RegistrationCalls() {}

    /**
     * ibv_reg_mr(3), ibv_reg_mr_iova(3). The macros of those names resolve to ibv_reg_mr_iova2 when the access flags
     * are not a compile-time constant; that function also masks the optional flags on kernels that do not support them.
     *
     * @param pd the protection domain
     * @param address of the first byte
     * @param length in bytes, unsigned
     * @param iova the address of the first byte in work requests
     * @param access flags of {@code enum ibv_access_flags}
     * @return the region, or NULL
     */
    public static MemorySegment regMr(MemorySegment pd, long address, long length, long iova, int access) {
        return ExportedVerb.REG_MR.pointer(
                pd, MemorySegment.ofAddress(address), word(length), word(iova), word(access));
    }

    /**
     * ibv_reg_dmabuf_mr(3).
     *
     * @param pd the protection domain
     * @param offset of the first byte in the dma-buf
     * @param length in bytes
     * @param iova the address of the first byte in work requests
     * @param fd the dma-buf
     * @param access flags of {@code enum ibv_access_flags}
     * @return the region, or NULL
     */
    public static MemorySegment regDmaBufMr(MemorySegment pd, long offset, long length, long iova, int fd, int access) {
        return ExportedVerb.REG_DMABUF_MR.pointer(pd, word(offset), word(length), word(iova), word(fd), word(access));
    }

    /**
     * ibv_rereg_mr(3).
     *
     * @param region the region
     * @param flags what changes, of {@code enum ibv_rereg_mr_flags}
     * @param pd the new protection domain, or NULL
     * @param address of the new first byte, or NULL
     * @param length the new one, or 0
     * @param access the new flags, or 0
     * @return 0 or one of {@code enum ibv_rereg_mr_err_code}, with errno
     */
    public static int reregMr(
            MemorySegment region, int flags, MemorySegment pd, MemorySegment address, long length, int access) {
        return ExportedVerb.REREG_MR.number(region, word(flags), pd, address, word(length), word(access));
    }

    /**
     * ibv_alloc_null_mr(3).
     *
     * @param entry {@code verbs_context.alloc_null_mr}, not NULL
     * @param pd the protection domain
     * @return the region, or NULL
     */
    public static MemorySegment allocNullMr(MemorySegment entry, MemorySegment pd) {
        return ColdCalls.pointer(entry, pd);
    }

    /**
     * ibv_reg_dm_mr(3).
     *
     * @param entry {@code verbs_context.reg_dm_mr}, not NULL
     * @param pd the protection domain
     * @param deviceMemory the {@code struct ibv_dm}
     * @param offset of the first byte in the device memory
     * @param length in bytes
     * @param access flags of {@code enum ibv_access_flags}
     * @return the region, or NULL
     */
    public static MemorySegment regDmMr(
            MemorySegment entry, MemorySegment pd, MemorySegment deviceMemory, long offset, long length, int access) {
        return ColdCalls.pointer(entry, pd, deviceMemory, word(offset), word(length), word(access));
    }

    /**
     * ibv_advise_mr(3).
     *
     * @param context the device's context
     * @param pd the protection domain of all regions
     * @param advice of {@code enum ibv_advise_mr_advice}
     * @param flags of {@code enum ibv_advise_mr_flags}
     * @param list of {@code struct ibv_sge}
     * @param count of the list
     * @return 0 or a positive errno
     */
    public static int adviseMr(
            MemorySegment context, MemorySegment pd, int advice, int flags, MemorySegment list, int count) {
        MemorySegment entry = NativeCalls.extendedEntry(context, verbs_context.advise_mr$offset());
        if (entry.address() == 0) {
            return Errno.EOPNOTSUPP;
        }
        return ColdCalls.number(entry, pd, word(advice), word(flags), list, word(count));
    }
}
