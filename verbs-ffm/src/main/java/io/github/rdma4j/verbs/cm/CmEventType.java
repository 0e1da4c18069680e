// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

/**
 * The type of an event of a {@link ConnectionId} ({@code enum rdma_cm_event_type}, rdma_get_cm_event(3)).
 *
 * @since 0.1.0
 */
public enum CmEventType {
    /** The destination is resolved: the local device and port are known. */
    ADDR_RESOLVED(0, false),
    /** The address could not be resolved. */
    ADDR_ERROR(1, true),
    /** The path to the destination is known: connecting can begin. */
    ROUTE_RESOLVED(2, false),
    /** The route could not be resolved. */
    ROUTE_ERROR(3, true),
    /** A listening id received a request. The event's id is new and must be accepted or rejected. */
    CONNECT_REQUEST(4, false),
    /**
     * The peer has accepted, and the id has no queue pair: move your queue pair to RTS, then call
     * {@link ConnectionId#establish()}.
     */
    CONNECT_RESPONSE(5, false),
    /** Connecting or accepting failed. */
    CONNECT_ERROR(6, true),
    /** The peer cannot be reached or did not answer. */
    UNREACHABLE(7, true),
    /** The peer, or its connection manager, has refused. */
    REJECTED(8, true),
    /** The connection is established; for datagrams, the peer's queue pair is known. */
    ESTABLISHED(9, false),
    /** The connection has ended. */
    DISCONNECTED(10, false),
    /** The local device is being removed: close the id and all resources of the device. */
    DEVICE_REMOVAL(11, true),
    /** The multicast group is joined. */
    MULTICAST_JOIN(12, false),
    /**
     * The multicast group could not be joined, or was lost. If the event has a {@linkplain CmEvent#cause() cause}, the
     * queue pair could not be attached, and the id has left the group again. Otherwise call
     * {@link ConnectionId#leaveMulticast} before another join.
     */
    MULTICAST_ERROR(13, true),
    /** The hardware address of the network interface has changed, on bonded interfaces after a failover. */
    ADDR_CHANGE(14, false),
    /** None of the queue pair's packets can still be in the network: it may be used for another connection. */
    TIMEWAIT_EXIT(15, false),
    /** A type that this library has no name for. */
    UNKNOWN(-1, false);

    private static final CmEventType[] BY_CODE = values();

    private final int code;
    private final boolean failure;

    CmEventType(int code, boolean failure) {
        this.code = code;
        this.failure = failure;
    }

    /** {@return whether an operation has failed, or the device is lost} */
    public boolean isFailure() {
        return failure;
    }

    int code() {
        return code;
    }

    static CmEventType ofCode(int code) {
        return code >= 0 && code < BY_CODE.length - 1 ? BY_CODE[code] : UNKNOWN;
    }
}
