// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.netlink;

/** The kernel does not tell. */
public final class NetlinkException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int errno;

    NetlinkException(String message) {
        super(message);
        errno = 0;
    }

    NetlinkException(int errno) {
        super("the kernel refuses (errno " + errno + ")");
        this.errno = errno;
    }

    /** Of the kernel's answer; 0 if there was none. */
    public int errno() {
        return errno;
    }
}
