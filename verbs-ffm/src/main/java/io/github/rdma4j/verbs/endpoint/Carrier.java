// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.util.Optional;
import java.util.function.Function;

/**
 * What {@link Engine} needs beside a {@link Wire}: to hear what it says, to sleep until it says something, and to end
 * it.
 */
interface Carrier extends Wire {
    /**
     * Gives everything that has come to the protocol, without waiting. If the protocol throws, for want of memory, that
     * event and those behind it are given again at the next call.
     *
     * @return how many events there were
     */
    int poll(Protocol protocol);

    /** Why the connection has ended, as far as the connection manager knows by now; null if it has not. Never waits. */
    String lost();

    /** From now on, whatever comes ends a sleep. Those that came before do not: poll again. */
    void arm();

    /** Sleeps until something comes or {@link #wakeUp()} is called. Without the endpoint's lock. */
    void sleep(long nanos);

    /** After a sleep, with the lock again. */
    void awake();

    /** Ends the sleep that is going on, or the next one. */
    void wakeUp();

    /** The message in a receive buffer, for a handler. */
    Message message(int buffer, long length);

    /** Asks the link. */
    <T> Optional<T> ask(Function<Link, Optional<T>> question);

    /** Ends the connection, and a sleep. What cannot be closed is tried again by another call. */
    void close();

    /**
     * Frees the memory, when no handler sees it any more. Idempotent; what cannot be freed is tried again by another
     * call.
     */
    void free();
}
