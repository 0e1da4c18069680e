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
 * An event of a {@link ConnectionId} ({@code struct rdma_cm_event}, rdma_get_cm_event(3)). It is a copy: the native
 * event is acknowledged (rdma_ack_cm_event(3)) before the program receives this object, so a close never waits for an
 * event that the program keeps or drops.
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
     * Copies a native event. The types of the event and of the id determine which member of the union is filled.
     *
     * @param event the native event
     * @param id the id of the event; for a request, the new id
     * @param listener the id that received the request; null otherwise
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

    /** Returns the event that the program receives instead of this one, after the id's queue pair has been moved. */
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

    /** Returns the key of the join that this event ends. */
    long joinKey() {
        return joinKey;
    }

    /** {@return the type of the event} */
    public CmEventType type() {
        return type;
    }

    /**
     * {@return the id of the event; for {@link CmEventType#CONNECT_REQUEST} a new id, which must be accepted, rejected
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
     * Returns the status of the event. For most events it is 0 or a negative errno; for {@link CmEventType#REJECTED} on
     * InfiniBand and RoCE the {@linkplain #rejectReason() reason}; for {@link CmEventType#UNREACHABLE} of datagrams, if
     * positive, the status of the lookup.
     *
     * @return the number that came with the event
     */
    public int status() {
        return status;
    }

    /** {@return the meaning of the status, in words; an empty string if nothing failed} */
    public String explanation() {
        return cause != null ? cause.getMessage() : CmStatus.explain(type, id.portSpace(), status, privateData);
    }

    /**
     * {@return the local failure behind a {@link CmEventType#CONNECT_ERROR}, or behind a
     * {@link CmEventType#MULTICAST_ERROR} whose queue pair could not be attached; empty otherwise, also if the network
     * has refused}
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
     * Returns the data that the peer's program sent with its request, accept or reject. InfiniBand and RoCE carry a
     * field of a fixed size without a length, so the peer's data is padded with zeros.
     *
     * @return the bytes; empty if there are none
     */
    public byte[] privateData() {
        return privateData.clone();
    }

    /** {@return the connection parameters that the peer requests, if the event carries them} */
    public Optional<ConnectionParameters> connectionParameters() {
        return Optional.ofNullable(connection);
    }

    /** {@return the datagram address of the peer or of the multicast group, if the event carries it} */
    public Optional<DatagramParameters> datagramParameters() {
        return Optional.ofNullable(datagram);
    }

    /** {@return type, id and status} */
    @Override
    public String toString() {
        return status == 0 ? type + " of " + id : "%s of %s: status %d, %s".formatted(type, id, status, explanation());
    }
}
