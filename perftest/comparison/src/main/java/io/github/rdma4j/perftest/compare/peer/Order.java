// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.peer;

import io.github.rdma4j.perftest.talk.BadMessageException;
import java.util.Arrays;

/** An order for the machine of the servers, or for a host of a mesh. */
enum Order {
    /** Name a free TCP port. */
    PORT,

    /** Report how long the CPUs have been busy. */
    BUSY,

    /** Start the server of a run, and report when its client can connect. */
    SERVE,

    /** Wait until the server is done, and report the CPU time that it used. */
    FINISH,

    /** The client has failed: report the server's output, and stop it. */
    STOP,

    /** Run the client of a server on another host. Only a host of a mesh does it. */
    MEASURE,

    /** Report the counters of the port that show loss. Only a host of a mesh does it. */
    COUNTERS;

    /**
     * Reads an order from a message.
     *
     * @throws BadMessageException if there is no such order
     */
    static Order of(String name) {
        return Arrays.stream(values())
                .filter(order -> order.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new BadMessageException("the other end sent the unknown request " + name));
    }
}
