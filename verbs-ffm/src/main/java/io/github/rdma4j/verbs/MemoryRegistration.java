// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_sge;
import io.github.rdma4j.verbs.bindings.verbs_context;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.Mlx5Calls;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.RegistrationCalls;
import io.github.rdma4j.verbs.internal.RegistrationExCalls;
import io.github.rdma4j.verbs.internal.device.DataDirect;
import io.github.rdma4j.verbs.internal.events.MemoryRegistrationEvent;
import io.github.rdma4j.verbs.internal.events.Recorder;
import io.github.rdma4j.verbs.internal.explain.RegistrationFailures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Creates a {@code struct ibv_mr} in one of several ways, each with its checks and its explanation of refusals.
 *
 * @param region the {@code struct ibv_mr}
 * @param memory the memory, null if the process has no address for it
 * @param address the address of the first byte in work requests
 * @param length in bytes
 * @param access the granted rights
 */
record MemoryRegistration(MemorySegment region, MemorySegment memory, long address, long length, int access) {
    /** The length of regions without an end. */
    static final long UNBOUNDED = Long.MAX_VALUE;

    private static final long PAGE_MASK = 4095;
    private static final long SIZE_MAX = -1L;
    private static final int DMA_BUF_FLAGS = AccessFlag.mask(
            AccessFlag.LOCAL_WRITE,
            AccessFlag.REMOTE_WRITE,
            AccessFlag.REMOTE_READ,
            AccessFlag.REMOTE_ATOMIC,
            AccessFlag.RELAXED_ORDERING);

    static MemoryRegistration of(ProtectionDomain domain, RegistrationConfig config) {
        if (config.isAddressOnly()) {
            return ofAddresses(
                    domain, config.address(), config.length(), config.iova(), config.dmaHandle(), config.access());
        }
        return config.segment() == null
                ? ofDmaBuf(
                        domain,
                        config.fileDescriptor(),
                        config.offset(),
                        config.length(),
                        config.iova(),
                        config.dmaHandle(),
                        config.isDataDirect(),
                        config.access())
                : ofHostMemory(domain, config.segment(), config.iova(), config.dmaHandle(), config.access());
    }

    /** ibv_reg_mr_iova(3), or ibv_reg_mr_ex(3) with a DMA handle. */
    static MemoryRegistration ofHostMemory(
            ProtectionDomain domain, MemorySegment memory, long iova, DmaHandle dmaHandle, int access) {
        checkMemory(memory, access);
        return register(domain, memory.address(), memory.byteSize(), memory, iova, dmaHandle, access);
    }

    /** Registers addresses that may not be mapped in this process: the region has no segment. */
    static MemoryRegistration ofAddresses(
            ProtectionDomain domain, long address, long length, long iova, DmaHandle dmaHandle, int access) {
        if (length < 1) {
            throw new IllegalArgumentException("a region of " + length + " bytes");
        }
        checkFlags(address, access);
        return register(domain, address, length, null, iova, dmaHandle, access);
    }

    private static MemoryRegistration register(
            ProtectionDomain domain,
            long address,
            long length,
            MemorySegment memory,
            long iova,
            DmaHandle dmaHandle,
            int access) {
        long base = AccessFlag.ZERO_BASED.in(access) ? 0 : iova;
        requireSamePageOffset("the address in work requests", base, "the memory", address);
        String operation = "%s(address=0x%x, length=%d, access=%s%s)"
                .formatted(
                        dmaHandle == null ? "ibv_reg_mr" : "ibv_reg_mr_ex",
                        address,
                        length,
                        AccessFlag.of(access),
                        base == address ? "" : ", iova=0x%x".formatted(base));
        MemorySegment region = recorded(
                domain,
                operation,
                length,
                () -> dmaHandle == null
                        ? RegistrationCalls.regMr(domain.segment(), address, length, base, access)
                        : RegistrationExCalls.regHost(
                                domain.segment(), address, length, base, dmaHandle.segment(), access));
        if (region.address() == 0) {
            throw RegistrationFailures.ofHostMemory(
                    operation, maxSize(domain), address, length, AccessFlag.of(access), NativeCalls.lastErrno());
        }
        return new MemoryRegistration(region, memory, base, length, access);
    }

    /** Registers the memory and records a JFR event. The errno of a refusal stays readable. */
    private static MemorySegment recorded(
            ProtectionDomain domain, String operation, long length, Supplier<MemorySegment> verb) {
        MemoryRegistrationEvent event = Recorder.isThere() ? MemoryRegistrationEvent.begun() : null;
        MemorySegment region = verb.get();
        int errno = region.address() == 0 ? NativeCalls.lastErrno() : 0;
        if (event != null) {
            event.over(domain.context().device().name(), operation, length, errno);
        }
        return region;
    }

    /** Used only to explain a refusal. */
    private static LongSupplier maxSize(ProtectionDomain domain) {
        return () -> domain.context().attributes().maxMemoryRegionSize();
    }

    /** Implicit on-demand paging: the whole address space (ibv_reg_mr(3)). */
    static MemoryRegistration ofAddressSpace(ProtectionDomain domain, int access) {
        int flags = access | AccessFlag.mask(AccessFlag.ON_DEMAND);
        AccessFlag.requireLocalWriteBehindRemote(flags);
        refuse(flags, AccessFlag.HUGETLB, "the whole address space");
        refuse(flags, AccessFlag.ZERO_BASED, "the whole address space");
        String operation = "ibv_reg_mr(address=0, length=SIZE_MAX, access=%s)".formatted(AccessFlag.of(flags));
        MemorySegment region = recorded(
                domain, operation, UNBOUNDED, () -> RegistrationCalls.regMr(domain.segment(), 0, SIZE_MAX, 0, flags));
        if (region.address() == 0) {
            throw RegistrationFailures.ofOnDemandMemory(operation, NativeCalls.lastErrno());
        }
        return new MemoryRegistration(region, null, 0, UNBOUNDED, flags);
    }

    /** ibv_alloc_null_mr(3). */
    static MemoryRegistration ofNothing(ProtectionDomain domain) {
        String operation = "ibv_alloc_null_mr(" + domain.context().device().name() + ")";
        MemorySegment entry =
                requireEntry(domain.context(), verbs_context.alloc_null_mr$offset(), operation, "null memory regions");
        MemorySegment region = RegistrationCalls.allocNullMr(entry, domain.segment());
        if (region.address() == 0) {
            throw Failures.of(operation, NativeCalls.lastErrno());
        }
        return new MemoryRegistration(region, null, 0, UNBOUNDED, AccessFlag.mask(AccessFlag.LOCAL_WRITE));
    }

    /** ibv_reg_dmabuf_mr(3), ibv_reg_mr_ex(3) with a DMA handle, or mlx5dv_reg_dmabuf_mr(3) for Data Direct. */
    static MemoryRegistration ofDmaBuf(
            ProtectionDomain domain,
            int fd,
            long offset,
            long length,
            long iova,
            DmaHandle dmaHandle,
            boolean dataDirect,
            int access) {
        if (length < 1 || offset < 0 || fd < 0) {
            throw new IllegalArgumentException(
                    ("a dma-buf region of file descriptor %d, offset %d, length %d: the first two cannot be negative,"
                                    + " and the length is 1 or more")
                            .formatted(fd, offset, length));
        }
        if ((access & ~DMA_BUF_FLAGS) != 0) {
            throw new IllegalArgumentException("%s: a dma-buf can be registered with %s only"
                    .formatted(AccessFlag.of(access), AccessFlag.of(DMA_BUF_FLAGS)));
        }
        AccessFlag.requireLocalWriteBehindRemote(access);
        requireSamePageOffset("the address in work requests", iova, "the offset", offset);
        String operation = "%s(fd=%d, offset=%d, length=%d, iova=0x%x, access=%s)"
                .formatted(
                        dataDirect ? "mlx5dv_reg_dmabuf_mr" : dmaHandle == null ? "ibv_reg_dmabuf_mr" : "ibv_reg_mr_ex",
                        fd,
                        offset,
                        length,
                        iova,
                        AccessFlag.of(access));
        MemorySegment region = recorded(domain, operation, length, () -> {
            if (dataDirect) {
                DeviceContext context = domain.context();
                DataDirect.require(operation, context.driver(), context.segment());
                return Mlx5Calls.INSTALLED.regDmaBufDataDirect(domain.segment(), offset, length, iova, fd, access);
            }
            return dmaHandle == null
                    ? RegistrationCalls.regDmaBufMr(domain.segment(), offset, length, iova, fd, access)
                    : RegistrationExCalls.regDmaBuf(
                            domain.segment(), fd, offset, length, iova, dmaHandle.segment(), access);
        });
        if (region.address() == 0) {
            throw RegistrationFailures.ofDmaBuf(operation, NativeCalls.lastErrno());
        }
        return new MemoryRegistration(region, null, iova, length, access);
    }

    /** ibv_reg_dm_mr(3); the region is always zero-based. */
    static MemoryRegistration ofAdapterMemory(
            ProtectionDomain domain, AdapterMemory memory, long offset, long length, int access) {
        int flags = access | AccessFlag.mask(AccessFlag.ZERO_BASED);
        if (length < 1) {
            throw new IllegalArgumentException("a region of " + length + " bytes");
        }
        AccessFlag.requireLocalWriteBehindRemote(flags);
        refuse(flags, AccessFlag.ON_DEMAND, "device memory");
        refuse(flags, AccessFlag.HUGETLB, "device memory");
        String operation =
                "ibv_reg_dm_mr(offset=%d, length=%d, access=%s)".formatted(offset, length, AccessFlag.of(flags));
        MemorySegment entry =
                requireEntry(domain.context(), verbs_context.reg_dm_mr$offset(), operation, "device memory");
        MemorySegment region = recorded(
                domain,
                operation,
                length,
                () -> RegistrationCalls.regDmMr(entry, domain.segment(), memory.segment(), offset, length, flags));
        if (region.address() == 0) {
            throw Failures.of(operation, NativeCalls.lastErrno());
        }
        return new MemoryRegistration(region, null, 0, length, flags);
    }

    /** ibv_reg_buf_mr(3). */
    static MemoryRegistration ofBuffer(ProviderBuffer buffer, long offset, long length, int access) {
        MemorySegment memory = buffer.segment().asSlice(offset, length);
        checkMemory(memory, access);
        String operation = "ibv_reg_buf_mr(address=0x%x, length=%d, access=%s)"
                .formatted(memory.address(), length, AccessFlag.of(access));
        MemorySegment region = recorded(
                buffer.protectionDomain(),
                operation,
                length,
                () -> RegistrationExCalls.regBuffer(
                        buffer.protectionDomain().segment(), buffer.nativeBuffer(), memory, length, access));
        if (region.address() == 0) {
            throw RegistrationFailures.ofHostMemory(
                    operation,
                    maxSize(buffer.protectionDomain()),
                    memory.address(),
                    length,
                    AccessFlag.of(access),
                    NativeCalls.lastErrno());
        }
        return new MemoryRegistration(region, memory, memory.address(), length, access);
    }

    /** Tries to register an invalid file descriptor. */
    static boolean dmaBufSupported(ProtectionDomain domain) {
        if (!ExportedVerb.REG_DMABUF_MR.isPresent()) {
            return false;
        }
        MemorySegment region = RegistrationCalls.regDmaBufMr(domain.segment(), 0, PAGE_MASK + 1, 0, -1, 0);
        if (region.address() != 0) {
            throw new IllegalStateException("the driver registered file descriptor -1 as a dma-buf");
        }
        return RegistrationFailures.meansDmaBufSupported(NativeCalls.lastErrno());
    }

    /** ibv_advise_mr(3). */
    static void advise(ProtectionDomain domain, MemoryAdvice advice, boolean wait, MemorySlice... slices) {
        if (slices.length == 0) {
            throw new IllegalArgumentException("no slices");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment list = ibv_sge.allocateArray(slices.length, arena);
            for (int i = 0; i < slices.length; i++) {
                MemorySlice slice = slices[i];
                checkAdvice(domain, advice, slice);
                MemorySegment entry = ibv_sge.asSlice(list, i);
                ibv_sge.addr(entry, slice.address());
                ibv_sge.length(entry, (int) slice.length());
                ibv_sge.lkey(entry, slice.localKey());
            }
            Failures.check(
                    "ibv_advise_mr(%s, %s, %d slices)".formatted(advice, wait ? "flush" : "no flags", slices.length),
                    RegistrationCalls.adviseMr(
                            domain.context().segment(),
                            domain.segment(),
                            advice.code(),
                            wait ? RdmaHeaders.IBV_ADVISE_MR_FLAG_FLUSH() : 0,
                            list,
                            slices.length));
        }
    }

    private static void checkAdvice(ProtectionDomain domain, MemoryAdvice advice, MemorySlice slice) {
        MemoryRegion region = slice.region();
        region.requireOpen();
        if (region.protectionDomain() != domain) {
            throw new IllegalArgumentException(region + " is registered in another protection domain");
        }
        if (!region.allows(AccessFlag.ON_DEMAND)) {
            throw new IllegalArgumentException(region + " was registered without ON_DEMAND: its pages are pinned");
        }
        if (advice == MemoryAdvice.PREFETCH_WRITE && !region.allows(AccessFlag.LOCAL_WRITE)) {
            throw new IllegalArgumentException(region + " was registered without LOCAL_WRITE");
        }
        if (slice.length() > 0xffff_ffffL) {
            throw new IllegalArgumentException(
                    "%d bytes: advice is for slices of at most %d bytes".formatted(slice.length(), 0xffff_ffffL));
        }
    }

    static void checkMemory(MemorySegment memory, int access) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("only native memory can be registered, and " + memory
                    + " is on the heap; allocate it from an Arena");
        }
        if (memory.byteSize() == 0) {
            throw new IllegalArgumentException("an empty segment cannot be registered");
        }
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("the arena of the memory to register is closed");
        }
        if (memory.isReadOnly() && AccessFlag.LOCAL_WRITE.in(access)) {
            throw new IllegalArgumentException("a read-only segment cannot be registered with LOCAL_WRITE");
        }
        checkFlags(memory.address(), access);
    }

    private static void checkFlags(long address, int access) {
        AccessFlag.requireLocalWriteBehindRemote(access);
        if (AccessFlag.HUGETLB.in(access) && !AccessFlag.ON_DEMAND.in(access)) {
            throw new IllegalArgumentException(
                    "HUGETLB goes with ON_DEMAND only; pinned memory may have huge pages without it");
        }
        if (AccessFlag.ZERO_BASED.in(access)) {
            requireSamePageOffset("ZERO_BASED", 0, "the memory", address);
        }
    }

    private static void requireSamePageOffset(String what, long address, String other, long otherAddress) {
        if (((address ^ otherAddress) & PAGE_MASK) != 0) {
            throw new IllegalArgumentException(
                    "%s, 0x%x, and %s, 0x%x, must lie equally far from the start of a page of %d bytes"
                            .formatted(what, address, other, otherAddress, PAGE_MASK + 1));
        }
    }

    private static void refuse(int flags, AccessFlag flag, String memory) {
        if (flag.in(flags)) {
            throw new IllegalArgumentException(memory + " cannot be registered with " + flag);
        }
    }

    private static MemorySegment requireEntry(DeviceContext context, long offset, String operation, String what) {
        MemorySegment entry = NativeCalls.extendedEntry(context.segment(), offset);
        if (entry.address() == 0) {
            throw new UnsupportedVerbException(
                    operation, Errno.EOPNOTSUPP, "the installed libibverbs or the device's driver has no " + what);
        }
        return entry;
    }
}
