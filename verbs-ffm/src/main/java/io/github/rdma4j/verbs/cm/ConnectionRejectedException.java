// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

/**
 * The peer's program or its connection manager has refused the connection.
 *
 * @serial exclude
 * @since 0.1.0
 */
public final class ConnectionRejectedException extends ConnectionException {
    private static final long serialVersionUID = 1L;

    private final RejectReason reason;
    private final int status;
    private final byte[] privateData;

    ConnectionRejectedException(String operation, int errno, CmEvent event, String remedy) {
        super(operation, event.type(), errno, event.explanation(), remedy);
        this.reason = event.rejectReason();
        this.status = event.status();
        this.privateData = event.privateData();
    }

    /** {@return the reason; {@link RejectReason#UNKNOWN} if the network has no reasons} */
    public RejectReason reason() {
        return reason;
    }

    /**
     * {@return the number in the event: the reason's number, for datagrams the status of the lookup, on iWARP a
     * negative errno}
     */
    public int status() {
        return status;
    }

    /**
     * {@return the data that the peer's program sent; on InfiniBand and RoCE padded with zeros to the size of the
     * field}
     */
    public byte[] privateData() {
        return privateData.clone();
    }
}
