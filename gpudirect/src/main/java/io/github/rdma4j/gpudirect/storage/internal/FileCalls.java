// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage.internal;

import java.nio.file.Path;

/**
 * The system calls for files. They return the results of the system calls, and errors as negative errno. Tests use
 * another implementation, to simulate short reads and full disks.
 */
public interface FileCalls {
    /** For reading. */
    int READ_ONLY = 0;
    /** For writing. */
    int WRITE_ONLY = 1;
    /** For both. */
    int READ_WRITE = 2;
    /** Creates what is not there. */
    int CREATE = 0x40;
    /** Refuses what is there. */
    int EXCLUSIVE = 0x80;

    /** open(2), with O_CLOEXEC, of a path of the default file system. */
    int open(Path path, int flags);

    /** A second descriptor of the same file that goes past the page cache: O_DIRECT. */
    int openDirect(int descriptor, int access);

    /** close(2). */
    void close(int descriptor);

    /** pread(2); interrupted calls are made again. */
    long read(int descriptor, long address, long length, long offset);

    /** pwrite(2); interrupted calls are made again. */
    long write(int descriptor, long address, long length, long offset);

    /** lseek(2) to the end: the file's size. */
    long size(int descriptor);

    /** fsync(2). */
    int sync(int descriptor);

    /** ftruncate(2). */
    int truncate(int descriptor, long size);

    /** posix_fadvise(2) with POSIX_FADV_WILLNEED: the kernel begins to read. */
    void willNeed(int descriptor, long offset, long length);
}
