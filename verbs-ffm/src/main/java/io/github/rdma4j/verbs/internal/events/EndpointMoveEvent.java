// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.events;

import java.time.Duration;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;

/** An endpoint has moved from one transport to another. */
@Name("rdma4j.EndpointMove")
@Label("Endpoint Move")
@Category("rdma4j")
@Description("An endpoint that was configured for failover has moved from RDMA to TCP, or back")
public final class EndpointMoveEvent extends Event {
    @Label("Endpoint")
    @Description("Both addresses")
    private String endpoint;

    @Label("From")
    private String from;

    @Label("To")
    private String to;

    @Label("Reason")
    private String reason;

    @Label("Took")
    @Description("From the moment in which this side began to move until it could send again")
    @Timespan(Timespan.NANOSECONDS)
    private long took;

    private EndpointMoveEvent() {}

    /**
     * An endpoint has moved.
     *
     * @param endpoint both addresses
     * @param from what carried it
     * @param to what carries it now
     * @param reason why
     * @param took until it could send again
     */
    public static void moved(Object endpoint, String from, String to, String reason, Duration took) {
        EndpointMoveEvent event = new EndpointMoveEvent();
        if (event.shouldCommit()) {
            event.endpoint = endpoint.toString();
            event.from = from;
            event.to = to;
            event.reason = reason;
            event.took = took.toNanos();
            event.commit();
        }
    }
}
