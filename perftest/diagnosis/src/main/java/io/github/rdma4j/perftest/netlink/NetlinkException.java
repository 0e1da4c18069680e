// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.netlink;

/** Thrown when the kernel does not answer a request. */
public final class NetlinkException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int errno;

    NetlinkException(String message) {
        super(message);
        errno = 0;
    }

    NetlinkException(int errno) {
        super("the kernel refused the request (errno " + errno + ")");
        this.errno = errno;
    }

    /** Returns the errno of the kernel's answer; 0 if there was none. */
    public int errno() {
        return errno;
    }
}
