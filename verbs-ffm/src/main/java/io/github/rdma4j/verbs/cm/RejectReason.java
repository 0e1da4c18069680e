// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

/**
 * The reason of a refused connection, from InfiniBand's REJ message, which RoCE also uses. iWARP has no reasons.
 *
 * @since 0.1.0
 */
public enum RejectReason {
    /** The peer has no queue pair left. */
    NO_QUEUE_PAIR(1, "the peer has no queue pair left"),
    /** The peer has no end-to-end context left. */
    NO_END_TO_END_CONTEXT(2, "the peer has no end-to-end context left"),
    /** The peer is out of resources. */
    NO_RESOURCES(3, "the peer is out of resources, or its backlog of requests is full"),
    /** The peer waited too long for the next message. */
    TIMEOUT(4, "the peer waited too long for the next message of the handshake"),
    /** The peer does not support the request. */
    UNSUPPORTED(5, "the peer does not support the request"),
    /** The peer does not have the communication id. */
    INVALID_COMMUNICATION_ID(6, "the peer does not know this communication id: it has closed its side"),
    /** The peer does not have the communication instance. */
    INVALID_COMMUNICATION_INSTANCE(7, "the peer does not know this communication instance"),
    /** No program listens there. */
    INVALID_SERVICE_ID(8, "nobody listens for RDMA at this address and port, in this port space"),
    /** The transport is not the one that was expected. */
    INVALID_TRANSPORT_TYPE(9, "the peer expects another transport"),
    /** The queue pair number is still in use at the peer, by a connection that this side has forgotten. */
    STALE_CONNECTION(10, "the peer still has an older connection of this queue pair number"),
    /** The reliable datagram channel does not exist. */
    NO_RELIABLE_DATAGRAM_CHANNEL(11, "the reliable datagram channel does not exist"),
    /** The GID is not the peer's. */
    INVALID_GID(12, "the GID is not the peer's"),
    /** The LID is not the peer's. */
    INVALID_LID(13, "the LID is not the peer's"),
    /** The service level cannot be used. */
    INVALID_SERVICE_LEVEL(14, "the peer refuses the service level"),
    /** The traffic class cannot be used. */
    INVALID_TRAFFIC_CLASS(15, "the peer refuses the traffic class"),
    /** The hop limit cannot be used. */
    INVALID_HOP_LIMIT(16, "the peer refuses the hop limit"),
    /** The packet rate cannot be used. */
    INVALID_PACKET_RATE(17, "the peer refuses the packet rate"),
    /** The alternate GID is not the peer's. */
    INVALID_ALTERNATE_GID(18, "the alternate path's GID is not the peer's"),
    /** The alternate LID is not the peer's. */
    INVALID_ALTERNATE_LID(19, "the alternate path's LID is not the peer's"),
    /** The alternate service level cannot be used. */
    INVALID_ALTERNATE_SERVICE_LEVEL(20, "the peer refuses the alternate path's service level"),
    /** The alternate traffic class cannot be used. */
    INVALID_ALTERNATE_TRAFFIC_CLASS(21, "the peer refuses the alternate path's traffic class"),
    /** The alternate hop limit cannot be used. */
    INVALID_ALTERNATE_HOP_LIMIT(22, "the peer refuses the alternate path's hop limit"),
    /** The alternate packet rate cannot be used. */
    INVALID_ALTERNATE_PACKET_RATE(23, "the peer refuses the alternate path's packet rate"),
    /** Another port's connection manager is responsible. */
    REDIRECT_MANAGER(24, "another port's connection manager is responsible"),
    /** Another port is responsible. */
    REDIRECT_PORT(25, "another port is responsible"),
    /** The path MTU cannot be used. */
    INVALID_MTU(26, "the peer refuses the path MTU"),
    /** The peer cannot serve that many reads and atomics at a time. */
    INSUFFICIENT_RESPONDER_RESOURCES(
            27, "the peer cannot answer so many reads and atomics at a time; ask for a smaller initiator depth"),
    /**
     * The peer's program has refused, with {@link ConnectionId#reject}, or closed its id without accepting. Without
     * private data the refusal may come from the peer's kernel: a program listens at this port, but not at this
     * address.
     */
    CONSUMER_DEFINED(
            28, "the peer's program refused it (its private data may say why), or closed the request unanswered"),
    /** The RNR retry count cannot be used. */
    INVALID_RNR_RETRY(29, "the peer refuses the RNR retry count"),
    /** The local communication id is in use. */
    DUPLICATE_LOCAL_COMMUNICATION_ID(30, "the local communication id is in use already"),
    /** The class version is not supported. */
    INVALID_CLASS_VERSION(31, "the peer does not support this version of the protocol"),
    /** The flow label cannot be used. */
    INVALID_FLOW_LABEL(32, "the peer refuses the flow label"),
    /** The alternate flow label cannot be used. */
    INVALID_ALTERNATE_FLOW_LABEL(33, "the peer refuses the alternate path's flow label"),
    /** The enhanced connection establishment options cannot be used ({@link ConnectionId#rejectEce}). */
    VENDOR_OPTION_NOT_SUPPORTED(35, "the peer refuses the vendor options (ECE)"),
    /** A reason that InfiniBand's specification does not name, or none at all. */
    UNKNOWN(-1, "for a reason that is not named in InfiniBand's specification");

    private final int code;
    private final String explanation;

    RejectReason(int code, String explanation) {
        this.code = code;
        this.explanation = explanation;
    }

    /** {@return the number in the REJ message, -1 for {@link #UNKNOWN}} */
    public int code() {
        return code;
    }

    /** {@return the meaning, as a part of a sentence} */
    public String explanation() {
        return explanation;
    }

    static RejectReason ofCode(int code) {
        for (RejectReason reason : values()) {
            if (reason.code == code) {
                return reason;
            }
        }
        return UNKNOWN;
    }
}
