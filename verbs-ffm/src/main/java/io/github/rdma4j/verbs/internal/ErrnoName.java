// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.util.Map;

/** The names and texts of Linux errno values, for messages. */
public final class ErrnoName {
    private static final Map<Integer, String> KNOWN = Map.ofEntries(
            Map.entry(1, "EPERM: Operation not permitted"),
            Map.entry(2, "ENOENT: No such file or directory"),
            Map.entry(4, "EINTR: Interrupted system call"),
            Map.entry(5, "EIO: Input/output error"),
            Map.entry(6, "ENXIO: No such device or address"),
            Map.entry(7, "E2BIG: Argument list too long"),
            Map.entry(9, "EBADF: Bad file descriptor"),
            Map.entry(11, "EAGAIN: Resource temporarily unavailable"),
            Map.entry(12, "ENOMEM: Cannot allocate memory"),
            Map.entry(13, "EACCES: Permission denied"),
            Map.entry(14, "EFAULT: Bad address"),
            Map.entry(16, "EBUSY: Device or resource busy"),
            Map.entry(17, "EEXIST: File exists"),
            Map.entry(19, "ENODEV: No such device"),
            Map.entry(20, "ENOTDIR: Not a directory"),
            Map.entry(21, "EISDIR: Is a directory"),
            Map.entry(22, "EINVAL: Invalid argument"),
            Map.entry(23, "ENFILE: Too many open files in system"),
            Map.entry(24, "EMFILE: Too many open files"),
            Map.entry(25, "ENOTTY: Inappropriate ioctl for device"),
            Map.entry(27, "EFBIG: File too large"),
            Map.entry(28, "ENOSPC: No space left on device"),
            Map.entry(30, "EROFS: Read-only file system"),
            Map.entry(32, "EPIPE: Broken pipe"),
            Map.entry(34, "ERANGE: Numerical result out of range"),
            Map.entry(35, "EDEADLK: Resource deadlock avoided"),
            Map.entry(38, "ENOSYS: Function not implemented"),
            Map.entry(61, "ENODATA: No data available"),
            Map.entry(71, "EPROTO: Protocol error"),
            Map.entry(75, "EOVERFLOW: Value too large for defined data type"),
            Map.entry(93, "EPROTONOSUPPORT: Protocol not supported"),
            Map.entry(95, "EOPNOTSUPP: Operation not supported"),
            Map.entry(97, "EAFNOSUPPORT: Address family not supported by protocol"),
            Map.entry(98, "EADDRINUSE: Address already in use"),
            Map.entry(99, "EADDRNOTAVAIL: Cannot assign requested address"),
            Map.entry(100, "ENETDOWN: Network is down"),
            Map.entry(101, "ENETUNREACH: Network is unreachable"),
            Map.entry(103, "ECONNABORTED: Software caused connection abort"),
            Map.entry(104, "ECONNRESET: Connection reset by peer"),
            Map.entry(105, "ENOBUFS: No buffer space available"),
            Map.entry(106, "EISCONN: Transport endpoint is already connected"),
            Map.entry(107, "ENOTCONN: Transport endpoint is not connected"),
            Map.entry(110, "ETIMEDOUT: Connection timed out"),
            Map.entry(111, "ECONNREFUSED: Connection refused"),
            Map.entry(112, "EHOSTDOWN: Host is down"),
            Map.entry(113, "EHOSTUNREACH: No route to host"),
            Map.entry(114, "EALREADY: Operation already in progress"),
            Map.entry(115, "EINPROGRESS: Operation now in progress"),
            Map.entry(125, "ECANCELED: Operation canceled"),
            // Internal to the kernel and in no user-space header, but some drivers return it, such as NVIDIA's for
            // dma-bufs.
            Map.entry(Errno.ENOTSUPP, "ENOTSUPP: Not supported by the kernel's driver"));

    private ErrnoName() {}

    /**
     * Returns the symbolic name.
     *
     * @param errno a positive errno value
     * @return the name, such as {@code ENOMEM}, or {@code errno 999} for an unknown value
     */
    public static String of(int errno) {
        String known = KNOWN.get(errno);
        return known == null ? "errno " + errno : known.substring(0, known.indexOf(':'));
    }

    /**
     * Returns the text.
     *
     * @param errno a positive errno value
     * @return the text, such as {@code Cannot allocate memory}
     */
    public static String text(int errno) {
        String known = KNOWN.get(errno);
        return known == null ? "unknown error" : known.substring(known.indexOf(':') + 2);
    }
}
