// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage.internal;

import java.nio.file.Path;

/**
 * The system calls for files. They return the results of the system calls, and errors as negative errno. Tests use
 * another implementation, to simulate short reads and full disks.
 */
public interface FileCalls {
    /** Open for reading. */
    int READ_ONLY = 0;
    /** Open for writing. */
    int WRITE_ONLY = 1;
    /** Open for reading and writing. */
    int READ_WRITE = 2;
    /** Creates a missing file. */
    int CREATE = 0x40;
    /** Fails if the file exists. */
    int EXCLUSIVE = 0x80;

    /** open(2), with O_CLOEXEC, of a path of the default file system. */
    int open(Path path, int flags);

    /** Opens a second descriptor of the same file, which bypasses the page cache (O_DIRECT). */
    int openDirect(int descriptor, int access);

    /** close(2). */
    void close(int descriptor);

    /** pread(2); repeated if a signal interrupts it. */
    long read(int descriptor, long address, long length, long offset);

    /** pwrite(2); repeated if a signal interrupts it. */
    long write(int descriptor, long address, long length, long offset);

    /** lseek(2) to the end. Returns the size of the file. */
    long size(int descriptor);

    /** fsync(2). */
    int sync(int descriptor);

    /** ftruncate(2). */
    int truncate(int descriptor, long size);

    /** posix_fadvise(2) with POSIX_FADV_WILLNEED: the kernel reads ahead. */
    void willNeed(int descriptor, long offset, long length);
}
