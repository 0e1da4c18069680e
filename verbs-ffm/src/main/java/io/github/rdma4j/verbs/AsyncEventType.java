// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * What happened, asynchronously, to a device or to something on it ({@code enum ibv_event_type}).
 *
 * @since 0.1.0
 */
public enum AsyncEventType {
    /** A completion queue has failed, usually because more requests completed than it holds. */
    CQ_ERR(Subject.COMPLETION_QUEUE),
    /** A queue pair has failed, and is in the error state. */
    QP_FATAL(Subject.QUEUE_PAIR),
    /**
     * A peer's request was invalid: the local queue pair is in the error state. Its requests complete as flushed, and
     * say no more.
     */
    QP_REQ_ERR(Subject.QUEUE_PAIR),
    /**
     * A peer asked for what it may not do: the local queue pair is in the error state. Its requests complete as
     * flushed, and say no more.
     */
    QP_ACCESS_ERR(Subject.QUEUE_PAIR),
    /**
     * The first packet has come while the queue pair was still ready to receive only: the connection is established.
     */
    COMM_EST(Subject.QUEUE_PAIR),
    /** All requests that were under way before the transition to the drained state are done. */
    SQ_DRAINED(Subject.QUEUE_PAIR),
    /** The connection has moved to its alternate path. */
    PATH_MIG(Subject.QUEUE_PAIR),
    /** The connection could not move to its alternate path. */
    PATH_MIG_ERR(Subject.QUEUE_PAIR),
    /** The device has failed, and all on it: close it. */
    DEVICE_FATAL(Subject.DEVICE),
    /** A port has become active. */
    PORT_ACTIVE(Subject.PORT),
    /** A port is not active any more. */
    PORT_ERR(Subject.PORT),
    /** The subnet manager has changed a port's LID. */
    LID_CHANGE(Subject.PORT),
    /** A port's partition table has changed. */
    PKEY_CHANGE(Subject.PORT),
    /** A port has another subnet manager. */
    SM_CHANGE(Subject.PORT),
    /** A shared receive queue has failed. */
    SRQ_ERR(Subject.SHARED_RECEIVE_QUEUE),
    /**
     * A shared receive queue holds fewer receives than its limit; the event comes once, until the limit is set again.
     */
    SRQ_LIMIT_REACHED(Subject.SHARED_RECEIVE_QUEUE),
    /** A queue pair in the error state takes nothing more from its shared receive queue. */
    QP_LAST_WQE_REACHED(Subject.QUEUE_PAIR),
    /** The subnet manager asks the port's clients to register again. */
    CLIENT_REREGISTER(Subject.PORT),
    /** A port's GID table has changed. */
    GID_CHANGE(Subject.PORT),
    /** A work queue has failed. */
    WQ_FATAL(Subject.WORK_QUEUE),
    /** Ports of the device have another speed, and the event does not say which; from rdma-core 61 on. */
    DEVICE_SPEED_CHANGE(Subject.DEVICE),
    /** Not known to this library. */
    UNKNOWN(Subject.DEVICE);

    /** What an event of a type is about, and so what its {@code element} holds. */
    enum Subject {
        COMPLETION_QUEUE,
        QUEUE_PAIR,
        SHARED_RECEIVE_QUEUE,
        WORK_QUEUE,
        PORT,
        DEVICE
    }

    private static final AsyncEventType[] BY_CODE = values();

    private final Subject subject;

    AsyncEventType(Subject subject) {
        this.subject = subject;
    }

    Subject subject() {
        return subject;
    }

    static AsyncEventType ofCode(int code) {
        return code >= 0 && code < UNKNOWN.ordinal() ? BY_CODE[code] : UNKNOWN;
    }
}
