// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * The type of an asynchronous event ({@code enum ibv_event_type}).
 *
 * @since 0.1.0
 */
public enum AsyncEventType {
    /** A completion queue has failed, usually because more requests completed than it holds. */
    CQ_ERR(Subject.COMPLETION_QUEUE),
    /** A queue pair has failed, and is in the error state. */
    QP_FATAL(Subject.QUEUE_PAIR),
    /**
     * A peer's request was invalid, and the local queue pair has moved to the error state. Its requests complete as
     * flushed, without the cause.
     */
    QP_REQ_ERR(Subject.QUEUE_PAIR),
    /**
     * A peer violated its access rights, and the local queue pair has moved to the error state. Its requests complete
     * as flushed, without the cause.
     */
    QP_ACCESS_ERR(Subject.QUEUE_PAIR),
    /** The first packet has arrived while the queue pair was only ready to receive: the connection is established. */
    COMM_EST(Subject.QUEUE_PAIR),
    /** All requests that were outstanding before the transition to the drained state have completed. */
    SQ_DRAINED(Subject.QUEUE_PAIR),
    /** The connection has migrated to its alternate path. */
    PATH_MIG(Subject.QUEUE_PAIR),
    /** The connection could not migrate to its alternate path. */
    PATH_MIG_ERR(Subject.QUEUE_PAIR),
    /** The device and all its objects have failed. Close the device. */
    DEVICE_FATAL(Subject.DEVICE),
    /** A port has become active. */
    PORT_ACTIVE(Subject.PORT),
    /** A port is no longer active. */
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
     * A shared receive queue holds fewer receives than its limit. The event is reported once, until the limit is set
     * again.
     */
    SRQ_LIMIT_REACHED(Subject.SHARED_RECEIVE_QUEUE),
    /** A queue pair in the error state takes no more receives from its shared receive queue. */
    QP_LAST_WQE_REACHED(Subject.QUEUE_PAIR),
    /** The subnet manager asks the port's clients to register again. */
    CLIENT_REREGISTER(Subject.PORT),
    /** A port's GID table has changed. */
    GID_CHANGE(Subject.PORT),
    /** A work queue has failed. */
    WQ_FATAL(Subject.WORK_QUEUE),
    /** The speed of a port has changed; the event does not say which port. Since rdma-core 61. */
    DEVICE_SPEED_CHANGE(Subject.DEVICE),
    /** A type that this library has no name for. */
    UNKNOWN(Subject.DEVICE);

    /** The kind of object that an event concerns, which is the member of {@code element} that is set. */
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
