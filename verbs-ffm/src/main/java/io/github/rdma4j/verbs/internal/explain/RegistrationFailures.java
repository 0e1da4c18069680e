// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.explain;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.LockedMemoryLimit;
import io.github.rdma4j.verbs.internal.MemoryInformation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;

/** Explains why the kernel refused to register memory, because its errno alone says little. */
public final class RegistrationFailures {
    private static final int EBADF = 9;
    private static final int EPROTONOSUPPORT = 93;

    /** For these flags the kernel pins pages for writing (ib_access_writable()). */
    private static final Set<AccessFlag> WRITING =
            Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC, AccessFlag.MW_BIND);

    private static final String RAISE_LIMIT =
            "raise the limit: 'ulimit -l unlimited' in the shell, 'memlock unlimited' in"
                    + " /etc/security/limits.conf, LimitMEMLOCK=infinity in a systemd unit, --ulimit"
                    + " memlock=-1 for docker run";

    private RegistrationFailures() {}

    /**
     * Refuses more pinned memory than the machine or the control group has. Otherwise zeroing it could trigger the
     * kernel's out-of-memory killer, which ends this process without a word.
     *
     * @param size the size of the memory to pin, in bytes
     * @param machine says how much there is
     * @param group the limit of the control group, in bytes
     */
    public static void requireMemory(long size, MemoryInformation machine, OptionalLong group) {
        OptionalLong total = machine.bytes("MemTotal");
        if (group.isPresent() && size > group.getAsLong()) {
            throw Failures.of(
                    "allocating %d bytes to register".formatted(size),
                    Errno.ENOMEM,
                    "registered memory stays in memory, of which this process's control group may have %d bytes"
                            .formatted(group.getAsLong()),
                    "register less at a time, or raise the group's limit (memory.max; docker run --memory)");
        }
        if (total.isPresent() && size > total.getAsLong()) {
            throw Failures.of(
                    "allocating %d bytes to register".formatted(size),
                    Errno.ENOMEM,
                    "registered memory stays in the machine's memory, which has %d bytes".formatted(total.getAsLong()),
                    "register less at a time");
        }
    }

    /**
     * Allocates memory of the C library.
     *
     * @param arena of the memory
     * @param size in bytes
     * @param alignment in bytes
     * @return the memory
     * @throws VerbsException if the C library cannot allocate it
     */
    public static MemorySegment allocate(Arena arena, long size, long alignment) {
        try {
            return arena.allocate(size, alignment);
        } catch (OutOfMemoryError e) {
            VerbsException failure = Failures.of(
                    "allocating %d bytes to register".formatted(size),
                    Errno.ENOMEM,
                    "the C library has no room for them: " + e.getMessage(),
                    "allocate less, or look at the limit of the process (ulimit -v), and at"
                            + " /proc/sys/vm/overcommit_memory");
            failure.initCause(e);
            throw failure;
        }
    }

    /**
     * Explains why memory of this process was not registered.
     *
     * @param operation the verb with its arguments
     * @param maxRegionSize asks the device for the longest region, in bytes
     * @param address of the memory
     * @param length of the memory, in bytes
     * @param access the flags that were asked for
     * @param errno of the verb
     * @return what to throw
     */
    public static VerbsException ofHostMemory(
            String operation,
            LongSupplier maxRegionSize,
            long address,
            long length,
            List<AccessFlag> access,
            int errno) {
        if (access.contains(AccessFlag.ON_DEMAND) && (errno == Errno.EINVAL || errno == Errno.EOPNOTSUPP)) {
            return ofOnDemandMemory(operation, errno);
        }
        return switch (errno) {
            case Errno.ENOMEM -> outOfMemory(operation, length);
            // The errno of the kernel if no memory may be locked.
            case Errno.EPERM ->
                LockedMemoryLimit.current().allows(1)
                        ? Failures.of(operation, errno)
                        : overLimit(operation, errno, LockedMemoryLimit.current());
            case Errno.EFAULT -> notPinned(operation, address, length, access);
            case Errno.EINVAL -> invalid(operation, maxRegionSize.getAsLong(), address, length);
            default -> Failures.of(operation, errno);
        };
    }

    private static VerbsException notPinned(String operation, long address, long length, List<AccessFlag> access) {
        boolean writes = !Collections.disjoint(access, WRITING);
        Explanation explanation = PinRefusal.current().of(address, length, writes);
        return explanation.isEmpty()
                ? Failures.of(
                        operation,
                        Errno.EFAULT,
                        "the kernel could not pin all pages of the range",
                        ("see what is mapped there (/proc/%d/maps), and register memory that is mapped as the access"
                                        + " needs it")
                                .formatted(ProcessHandle.current().pid()))
                : Failures.of(operation, Errno.EFAULT, explanation.cause(), explanation.remedy());
    }

    private static VerbsException invalid(String operation, long maximum, long address, long length) {
        if (Long.compareUnsigned(length, maximum) > 0) {
            return Failures.of(
                    operation,
                    Errno.EINVAL,
                    "the range is longer than the device's maximum of %d bytes".formatted(maximum),
                    "register it in parts");
        }
        if (Long.compareUnsigned(address + length, address) < 0) {
            return Failures.of(
                    operation,
                    Errno.EINVAL,
                    "the range wraps around the address space",
                    "compare address and length with the memory");
        }
        return Failures.of(
                operation,
                Errno.EINVAL,
                ("the device does not offer one of the flags, or not in this combination; the range is within its"
                                + " maximum of %d bytes")
                        .formatted(maximum),
                "");
    }

    private static VerbsException outOfMemory(String operation, long length) {
        LockedMemoryLimit limit = LockedMemoryLimit.current();
        return limit.allows(length)
                ? Failures.of(
                        operation,
                        Errno.ENOMEM,
                        ("%s, so that is not the cause: the device has no room for another region, or the machine"
                                        + " has no memory left")
                                .formatted(limit.describe()),
                        "close regions that are not used, or register less")
                : overLimit(operation, Errno.ENOMEM, limit);
    }

    private static VerbsException overLimit(String operation, int errno, LockedMemoryLimit limit) {
        return Failures.of(operation, errno, "registration pins the memory, and " + limit.describe(), RAISE_LIMIT);
    }

    /**
     * Explains why the kernel created no queue. The drivers of most adapters pin the memory of queues, which counts
     * against the same limit as registered memory; software devices do not.
     *
     * @param operation the verb with its arguments
     * @param errno of the verb
     * @param fewer asks for less
     * @param close asks to close others
     * @return what to throw
     */
    public static VerbsException ofQueue(String operation, int errno, String fewer, String close) {
        return ofQueue(operation, errno, fewer, close, LockedMemoryLimit.current());
    }

    static VerbsException ofQueue(String operation, int errno, String fewer, String close, LockedMemoryLimit limit) {
        String cause = "most drivers pin the memory of queues, and " + limit.describe();
        return switch (errno) {
            case Errno.ENOMEM ->
                limit.softLimit() == Long.MAX_VALUE
                        ? Failures.of(operation, errno, "the device has no resources left", fewer + ", or " + close)
                        : Failures.of(
                                operation,
                                errno,
                                cause + "; if that is enough, the device has no resources left",
                                fewer + ", " + close + ", or " + RAISE_LIMIT);
            // The errno of the kernel if no memory may be locked.
            case Errno.EPERM ->
                limit.allows(1) ? Failures.of(operation, errno) : Failures.of(operation, errno, cause, RAISE_LIMIT);
            default -> Failures.of(operation, errno);
        };
    }

    /**
     * Why memory was not registered without being pinned. Drivers say EINVAL as well as EOPNOTSUPP when they have no
     * on-demand paging; the second is what it means.
     *
     * @param operation the verb with its arguments
     * @param errno of the verb
     * @return what to throw
     */
    public static VerbsException ofOnDemandMemory(String operation, int errno) {
        return errno == Errno.EINVAL || errno == Errno.EOPNOTSUPP
                ? new UnsupportedVerbException(
                        operation,
                        errno,
                        "the device has no on-demand paging, or not for these flags",
                        "register the memory without ON_DEMAND, which pins it")
                : Failures.of(operation, errno);
    }

    /**
     * Why a dma-buf was not registered.
     *
     * @param operation the verb with its arguments
     * @param errno of the verb
     * @return what to throw
     */
    public static VerbsException ofDmaBuf(String operation, int errno) {
        return switch (errno) {
            case EPROTONOSUPPORT ->
                new UnsupportedVerbException(operation, errno, "the kernel's driver cannot register dma-bufs");
            case Errno.ENOTSUPP ->
                new UnsupportedVerbException(
                        operation,
                        errno,
                        "the exporter's driver sees no peer-to-peer path over PCI to this device: 'lspci -tv' shows"
                                + " where the two are");
            case Errno.ENOMEM ->
                Failures.of(
                        operation,
                        errno,
                        "the range could not be mapped for the device: a GPU's BAR1 or the IOMMU has no room for it, or"
                                + " the device has none for another region",
                        "register less at a time, or close regions that are not used ('nvidia-smi -q -d MEMORY' shows"
                                + " BAR1)");
            case EBADF -> Failures.of(operation, errno, "the file descriptor is not open", "");
            case Errno.EINVAL ->
                Failures.of(
                        operation,
                        errno,
                        "the file descriptor is no dma-buf, the range does not lie within it, or its exporter does not"
                                + " let the device in",
                        "export the whole allocation, aligned to pages, and give offset and length within it");
            default -> Failures.of(operation, errno);
        };
    }

    /**
     * Whether the driver can register dma-bufs.
     *
     * @param errno of an attempt with a file descriptor that cannot be one
     * @return whether it shows that dma-bufs are supported
     */
    public static boolean meansDmaBufSupported(int errno) {
        return errno == EBADF;
    }
}
