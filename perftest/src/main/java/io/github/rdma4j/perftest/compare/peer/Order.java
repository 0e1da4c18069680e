// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.peer;

import io.github.rdma4j.perftest.talk.BadMessageException;
import java.util.Arrays;

/** What the served machine can be told. There is nothing else that it does. */
enum Order {
    /** Name a TCP port on which nobody listens. */
    PORT,

    /** Say how long the processors have been busy. */
    BUSY,

    /** Start the server of a run, and say when its client can connect. */
    SERVE,

    /** Wait until the server is done, and say what CPU time it used. */
    FINISH,

    /** The client has failed: say what the server says, and end it. */
    STOP;

    /**
     * Of a message.
     *
     * @throws BadMessageException if there is no such order
     */
    static Order of(String name) {
        return Arrays.stream(values())
                .filter(order -> order.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new BadMessageException("the other end orders " + name + ", which there is not"));
    }
}
