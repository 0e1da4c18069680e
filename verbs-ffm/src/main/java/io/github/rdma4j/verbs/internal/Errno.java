// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

/** The Linux errno values that this library handles, the same on all architectures of rdma-core. */
public final class Errno {
    /** Not permitted. */
    public static final int EPERM = 1;
    /** No such file or directory: an empty completion queue, an absent device. */
    public static final int ENOENT = 2;
    /** Input or output failed. */
    public static final int EIO = 5;
    /** Out of memory, out of locked memory, or a full queue. */
    public static final int ENOMEM = 12;
    /** Permission denied. */
    public static final int EACCES = 13;
    /** Bad address. */
    public static final int EFAULT = 14;
    /** In use. */
    public static final int EBUSY = 16;
    /** Invalid argument. */
    public static final int EINVAL = 22;
    /** The system has no file descriptor left. */
    public static final int ENFILE = 23;
    /** The process has no file descriptor left. */
    public static final int EMFILE = 24;
    /** No space left on device. */
    public static final int ENOSPC = 28;
    /** Not implemented by the kernel. */
    public static final int ENOSYS = 38;
    /** No data: an empty entry of a table. */
    public static final int ENODATA = 61;
    /** Not supported by the device or its driver. */
    public static final int EOPNOTSUPP = 95;
    /** The kernel's internal value for an unsupported operation; not in errno.h. */
    public static final int ENOTSUPP = 524;
    /** No such device, or the network interface was removed. */
    public static final int ENODEV = 19;
    /** An address that this machine does not have. */
    public static final int EADDRNOTAVAIL = 99;
    /** No route to the network. */
    public static final int ENETUNREACH = 101;
    /** The peer's kernel has reset the connection. */
    public static final int ECONNRESET = 104;
    /** The kernel has no memory for a socket. */
    public static final int ENOBUFS = 105;
    /** No response in time. */
    public static final int ETIMEDOUT = 110;
    /** No route to the host. */
    public static final int EHOSTUNREACH = 113;

    /** Started, and not complete yet. */
    public static final int EINPROGRESS = 115;

    private Errno() {}
}
