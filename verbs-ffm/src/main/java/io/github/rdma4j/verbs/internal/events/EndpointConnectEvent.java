// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** An attempt to connect an endpoint. */
@Name("rdma4j.EndpointConnect")
@Label("Endpoint Connect")
@Category("rdma4j")
@Description("An endpoint has connected to a server, or could not")
public final class EndpointConnectEvent extends Event {
    @Label("Server")
    private String server;

    @Label("Endpoint")
    @Description("Both addresses; nothing if it could not connect")
    private String endpoint;

    @Label("Failure")
    @Description("Why it could not connect; nothing if it has")
    private String failure;

    private EndpointConnectEvent() {}

    /** {@return the event, which begins now} */
    public static EndpointConnectEvent begun() {
        EndpointConnectEvent event = new EndpointConnectEvent();
        event.begin();
        return event;
    }

    /**
     * The attempt is over.
     *
     * @param server the server's address
     * @param endpoint what was connected; null if nothing was
     * @param failure why not; null if it was
     */
    public void over(Object server, Object endpoint, Throwable failure) {
        end();
        if (shouldCommit()) {
            this.server = server.toString();
            this.endpoint = endpoint == null ? null : endpoint.toString();
            this.failure = failure == null ? null : failure.toString();
            commit();
        }
    }
}
