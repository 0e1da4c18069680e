// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

/** An order for the serving end. Orders are answered in the order of their arrival. */
enum Order {
    /** Send the time. */
    TIME,
    /** To use a port from now on. */
    USE_PORT,
    /** To read counters. */
    COUNTERS,
    /** To listen for a connection by rdma_cm. */
    CM_LISTEN,
    /** To wait for it. */
    CM_ACCEPT,
    /** Creates a queue pair and connects it without rdma_cm. */
    CONNECT,
    /** To wait for a message and check it. */
    RECEIVE,
    /** To send a message. */
    SEND,
    /** To write to this end's memory. */
    WRITE,
    /** Check the memory that was written. */
    CHECK,
    /** To have a pattern read. */
    FILL,
    /** To have a number added to. */
    NUMBER,
    /** To close the connection. */
    CLOSE,
    /** Creates a queue pair for datagrams. */
    DATAGRAMS_OPEN,
    /** Counts the datagrams that have arrived. */
    DATAGRAMS_COUNT,
    /** To send datagrams. */
    DATAGRAMS_SEND,
    /** To close that queue pair. */
    DATAGRAMS_CLOSE
}
