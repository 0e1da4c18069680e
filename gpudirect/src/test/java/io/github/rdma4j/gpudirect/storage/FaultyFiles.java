// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.gpudirect.storage.internal.FileCalls;
import io.github.rdma4j.gpudirect.storage.internal.LinuxFileCalls;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Real files with the faults that a test asks for, and O_DIRECT's rules whether the folder's file system has them or
 * not.
 */
final class FaultyFiles implements FileCalls {
    private static final int BLOCK = 4096;
    private static final int INVALID = 22;
    private static final int DIRECT = 1 << 20;

    private final LinuxFileCalls linux = new LinuxFileCalls();
    final AtomicInteger open = new AtomicInteger();
    final AtomicInteger advised = new AtomicInteger();
    final AtomicInteger directReads = new AtomicInteger();
    final AtomicInteger directWrites = new AtomicInteger();
    /** How much a call reads or writes at most. */
    volatile long most = Long.MAX_VALUE;
    /** The file has no O_DIRECT: the open fails, or only reads and writes fail. */
    volatile boolean noDirectOpen;

    volatile boolean noDirectTransfer;
    /** From which file offset reads and writes fail, and with what. */
    volatile long failFrom = Long.MAX_VALUE;

    volatile int errno;
    /** Called at the beginning of each write. */
    volatile Runnable atWrite = () -> {};

    @Override
    public int open(Path path, int flags) {
        int result = linux.open(path, flags);
        if (result >= 0) {
            open.incrementAndGet();
        }
        return result;
    }

    /** An ordinary descriptor with a mark: the rules of direct ones are checked here. */
    @Override
    public int openDirect(int descriptor, int access) {
        if (noDirectOpen) {
            return -INVALID;
        }
        int result = open(Path.of("/proc/self/fd/" + descriptor), access);
        return result < 0 ? result : result | DIRECT;
    }

    @Override
    public void close(int descriptor) {
        open.decrementAndGet();
        linux.close(descriptor & ~DIRECT);
    }

    @Override
    public long read(int descriptor, long address, long length, long offset) {
        long refused = refusal(descriptor, address, length, offset);
        if (refused < 0) {
            return refused;
        }
        directReads.addAndGet((descriptor & DIRECT) != 0 ? 1 : 0);
        return linux.read(descriptor & ~DIRECT, address, Math.min(most, length), offset);
    }

    @Override
    public long write(int descriptor, long address, long length, long offset) {
        atWrite.run();
        long refused = refusal(descriptor, address, length, offset);
        if (refused < 0) {
            return refused;
        }
        directWrites.addAndGet((descriptor & DIRECT) != 0 ? 1 : 0);
        return linux.write(descriptor & ~DIRECT, address, Math.min(most, length), offset);
    }

    private long refusal(int descriptor, long address, long length, long offset) {
        if (offset + length > failFrom) {
            return -errno;
        }
        boolean unaligned = (address | length | offset) % BLOCK != 0;
        return (descriptor & DIRECT) != 0 && (unaligned || noDirectTransfer) ? -INVALID : 0;
    }

    @Override
    public long size(int descriptor) {
        return linux.size(descriptor & ~DIRECT);
    }

    @Override
    public int sync(int descriptor) {
        return errno == 0 ? linux.sync(descriptor & ~DIRECT) : -errno;
    }

    @Override
    public int truncate(int descriptor, long size) {
        return errno == 0 ? linux.truncate(descriptor & ~DIRECT, size) : -errno;
    }

    @Override
    public void willNeed(int descriptor, long offset, long length) {
        advised.incrementAndGet();
        linux.willNeed(descriptor & ~DIRECT, offset, length);
    }
}
