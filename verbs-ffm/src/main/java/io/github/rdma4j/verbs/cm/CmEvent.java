// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.bindings.rdma_cm_event;
import io.github.rdma4j.verbs.bindings.rdma_conn_param;
import io.github.rdma4j.verbs.bindings.rdma_ud_param;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * What happened to a {@link ConnectionId} ({@code struct rdma_cm_event}, rdma_get_cm_event(3)). It is a copy: the
 * native event has been acknowledged (rdma_ack_cm_event(3)) before the program sees this one, so an event that is kept
 * or forgotten never makes a close wait.
 *
 * @since 0.1.0
 */
public final class CmEvent {
    private final CmEventType type;
    private final ConnectionId id;
    private final ConnectionId listener;
    private final int status;
    private final byte[] privateData;
    private final ConnectionParameters connection;
    private final DatagramParameters datagram;
    private final VerbsException cause;
    private final long joinKey;

    private CmEvent(
            CmEventType type,
            ConnectionId id,
            ConnectionId listener,
            int status,
            byte[] privateData,
            ConnectionParameters connection,
            DatagramParameters datagram,
            VerbsException cause,
            long joinKey) {
        this.type = type;
        this.id = id;
        this.listener = listener;
        this.status = status;
        this.privateData = privateData;
        this.connection = connection;
        this.datagram = datagram;
        this.cause = cause;
        this.joinKey = joinKey;
    }

    /**
     * Copies a native event. Which of the union's two members is filled, librdmacm tells by the event's type and the
     * id's.
     *
     * @param event the native event
     * @param id that it is about, for a request the new one
     * @param listener that got the request; null otherwise
     */
    static CmEvent read(MemorySegment event, ConnectionId id, ConnectionId listener) {
        CmEventType type = CmEventType.ofCode(rdma_cm_event.event(event));
        MemorySegment parameters = rdma_cm_event.param(event);
        byte[] privateData = {};
        long joinKey = 0;
        ConnectionParameters connection = null;
        DatagramParameters datagram = null;
        switch (type) {
            case ADDR_RESOLVED, ADDR_ERROR, ROUTE_RESOLVED, ROUTE_ERROR, MULTICAST_ERROR, UNKNOWN -> {}
            case MULTICAST_JOIN -> {
                MemorySegment source = rdma_cm_event.param.ud(parameters);
                datagram = DatagramParameters.read(source);
                joinKey = rdma_ud_param.private_data(source).address();
            }
            default -> {
                if (id.portSpace().isDatagram() && type != CmEventType.REJECTED && type != CmEventType.DISCONNECTED) {
                    MemorySegment source = rdma_cm_event.param.ud(parameters);
                    if (type == CmEventType.ESTABLISHED) {
                        datagram = DatagramParameters.read(source);
                    }
                    privateData = bytes(rdma_ud_param.private_data(source), rdma_ud_param.private_data_len(source));
                } else {
                    MemorySegment source = rdma_cm_event.param.conn(parameters);
                    connection = ConnectionParameters.read(source);
                    privateData = bytes(rdma_conn_param.private_data(source), rdma_conn_param.private_data_len(source));
                }
            }
        }
        return new CmEvent(
                type, id, listener, rdma_cm_event.status(event), privateData, connection, datagram, null, joinKey);
    }

    private static byte[] bytes(MemorySegment data, byte length) {
        return data.address() == 0
                ? new byte[0]
                : data.reinterpret(Byte.toUnsignedLong(length)).toArray(ValueLayout.JAVA_BYTE);
    }

    /** The event that the program sees in place of this one, after the id's queue pair has been dealt with. */
    CmEvent as(CmEventType newType, VerbsException failure) {
        return new CmEvent(
                newType,
                id,
                listener,
                failure == null ? status : -failure.errno(),
                privateData,
                connection,
                datagram,
                failure,
                joinKey);
    }

    /** What the join was given, which this event ends. */
    long joinKey() {
        return joinKey;
    }

    /** {@return what happened} */
    public CmEventType type() {
        return type;
    }

    /**
     * {@return the id that it happened to; for {@link CmEventType#CONNECT_REQUEST} a new one, to be accepted, rejected
     * or closed}
     */
    public ConnectionId id() {
        return id;
    }

    /** {@return the id that listens, for {@link CmEventType#CONNECT_REQUEST}; empty otherwise} */
    public Optional<ConnectionId> listener() {
        return Optional.ofNullable(listener);
    }

    /**
     * What went wrong, as a number: for most events 0 or a negative errno; for {@link CmEventType#REJECTED} on
     * InfiniBand and RoCE the {@linkplain #rejectReason() reason}; for {@link CmEventType#UNREACHABLE} of datagrams, if
     * positive, the status of the look-up.
     *
     * @return the number that came with the event
     */
    public int status() {
        return status;
    }

    /** {@return what the status means, in words; an empty string if nothing went wrong} */
    public String explanation() {
        return cause != null ? cause.getMessage() : CmStatus.explain(type, id.portSpace(), status, privateData);
    }

    /**
     * {@return why this side could not complete the connection, for {@link CmEventType#CONNECT_ERROR}, or not attach
     * the queue pair, for {@link CmEventType#MULTICAST_ERROR}; empty otherwise, also if the network has refused}
     */
    public Optional<VerbsException> cause() {
        return Optional.ofNullable(cause);
    }

    /**
     * {@return the reason of a {@link CmEventType#REJECTED}; {@link RejectReason#UNKNOWN} for other events and on
     * iWARP}
     */
    public RejectReason rejectReason() {
        return type == CmEventType.REJECTED ? RejectReason.ofCode(status) : RejectReason.UNKNOWN;
    }

    /**
     * What the peer's program sent along with its request, accept or reject. InfiniBand and RoCE carry a field of a
     * fixed size and say nothing of how much was used: what is longer than the peer's data is zeros.
     *
     * @return the bytes; none if there are none
     */
    public byte[] privateData() {
        return privateData.clone();
    }

    /** {@return what the peer wants of the connection, if the event carries it} */
    public Optional<ConnectionParameters> connectionParameters() {
        return Optional.ofNullable(connection);
    }

    /** {@return how to reach the peer or the multicast group with datagrams, if the event carries it} */
    public Optional<DatagramParameters> datagramParameters() {
        return Optional.ofNullable(datagram);
    }

    /** {@return type, id and status} */
    @Override
    public String toString() {
        return status == 0 ? type + " of " + id : "%s of %s: status %d, %s".formatted(type, id, status, explanation());
    }
}
