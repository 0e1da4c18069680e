// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

/**
 * What happened to a {@link ConnectionId} ({@code enum rdma_cm_event_type}, rdma_get_cm_event(3)).
 *
 * @since 0.1.0
 */
public enum CmEventType {
    /** The destination is known, and with it the local device and port. */
    ADDR_RESOLVED(0, false),
    /** The address could not be resolved. */
    ADDR_ERROR(1, true),
    /** The way to the destination is known: connecting can begin. */
    ROUTE_RESOLVED(2, false),
    /** The route could not be resolved. */
    ROUTE_ERROR(3, true),
    /** A listening id got a request; the event's id is a new one, to be accepted or rejected. */
    CONNECT_REQUEST(4, false),
    /**
     * The peer has accepted, and the id has no queue pair: bring yours to RTS, then {@link ConnectionId#establish()}.
     */
    CONNECT_RESPONSE(5, false),
    /** Connecting or accepting failed. */
    CONNECT_ERROR(6, true),
    /** The peer cannot be reached or did not answer. */
    UNREACHABLE(7, true),
    /** The peer, or its connection manager, has refused. */
    REJECTED(8, true),
    /** The connection is made; for datagrams: the peer's queue pair is known. */
    ESTABLISHED(9, false),
    /** The connection has ended. */
    DISCONNECTED(10, false),
    /** The local device goes away: close the id and whatever belongs to the device. */
    DEVICE_REMOVAL(11, true),
    /** The multicast group is joined. */
    MULTICAST_JOIN(12, false),
    /**
     * The multicast group could not be joined, or was lost. If the event has a {@linkplain CmEvent#cause() cause}, the
     * queue pair could not be attached, and the id has left the group again; otherwise
     * {@link ConnectionId#leaveMulticast} comes before another join.
     */
    MULTICAST_ERROR(13, true),
    /** The network interface's hardware address has changed: on bonded interfaces, after a fail-over. */
    ADDR_CHANGE(14, false),
    /** The queue pair's packets can no longer be under way: it may be used for another connection. */
    TIMEWAIT_EXIT(15, false),
    /** A type that is newer than this library. */
    UNKNOWN(-1, false);

    private static final CmEventType[] BY_CODE = values();

    private final int code;
    private final boolean failure;

    CmEventType(int code, boolean failure) {
        this.code = code;
        this.failure = failure;
    }

    /** {@return whether what was begun has failed, or the device is lost} */
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
