// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The result of a client's connection request to an endpoint server. */
@Name("rdma4j.EndpointAccept")
@Label("Endpoint Accept")
@Category("rdma4j")
@Description("A server has accepted, refused or given up a client")
@StackTrace(false)
public final class EndpointAcceptEvent extends Event {
    @Label("Server")
    private String server;

    @Label("Endpoint")
    @Description("Both addresses")
    private String endpoint;

    @Label("Failure")
    @Description("Why there is no connection; nothing if there is one")
    private String failure;

    private EndpointAcceptEvent() {}

    /** {@return the event, which begins now} */
    public static EndpointAcceptEvent begun() {
        EndpointAcceptEvent event = new EndpointAcceptEvent();
        event.begin();
        return event;
    }

    /**
     * It is decided.
     *
     * @param server the server's name
     * @param endpoint the connection, or who asked for it
     * @param failure why there is none; null if there is one
     */
    public void over(Object server, Object endpoint, String failure) {
        end();
        if (shouldCommit()) {
            this.server = server.toString();
            this.endpoint = endpoint.toString();
            this.failure = failure;
            commit();
        }
    }
}
