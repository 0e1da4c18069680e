// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** The end of a connection, as one side sees it. */
@Name("rdma4j.EndpointEnd")
@Label("Endpoint End")
@Category("rdma4j")
@Description("The connection of an endpoint has ended: closed by this side, by its peer, or lost")
public final class EndpointEndEvent extends Event {
    @Label("Endpoint")
    @Description("Both addresses")
    private String endpoint;

    @Label("Reason")
    private String reason;

    private EndpointEndEvent() {}

    /**
     * A connection has ended.
     *
     * @param endpoint both addresses
     * @param reason how
     */
    public static void ended(Object endpoint, String reason) {
        EndpointEndEvent event = new EndpointEndEvent();
        if (event.shouldCommit()) {
            event.endpoint = endpoint.toString();
            event.reason = reason;
            event.commit();
        }
    }
}
