// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

/** What the serving end can be told to do. Each order is answered, in the order in which they come. */
enum Order {
    /** To tell the time. */
    TIME,
    /** To use a port from now on. */
    USE_PORT,
    /** To read counters. */
    COUNTERS,
    /** To listen for a connection by rdma_cm. */
    CM_LISTEN,
    /** To wait for it. */
    CM_ACCEPT,
    /** To make a queue pair and connect it by hand. */
    CONNECT,
    /** To wait for a message and check it. */
    RECEIVE,
    /** To send a message. */
    SEND,
    /** To write to this end's memory. */
    WRITE,
    /** To look what was written. */
    CHECK,
    /** To have a pattern read. */
    FILL,
    /** To have a number added to. */
    NUMBER,
    /** To close the connection. */
    CLOSE,
    /** To make a queue pair for datagrams. */
    DATAGRAMS_OPEN,
    /** To count the datagrams that have come. */
    DATAGRAMS_COUNT,
    /** To send datagrams. */
    DATAGRAMS_SEND,
    /** To close that queue pair. */
    DATAGRAMS_CLOSE
}
