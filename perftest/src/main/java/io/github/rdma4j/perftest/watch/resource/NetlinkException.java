// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch.resource;

/** The kernel does not tell. */
final class NetlinkException extends Exception {
    private static final long serialVersionUID = 1L;

    NetlinkException(String message) {
        super(message);
    }
}
