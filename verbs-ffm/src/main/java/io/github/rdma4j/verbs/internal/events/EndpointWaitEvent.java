// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

/** A call of an endpoint that had to wait. */
@Name("rdma4j.EndpointWait")
@Label("Endpoint Wait")
@Category("rdma4j")
@Description("A thread has waited for an endpoint: for a message, for the end of a transfer, or for credits")
@Threshold("20 ms")
public final class EndpointWaitEvent extends Event {
    private static final EndpointWaitEvent SWITCH = new EndpointWaitEvent();

    @Label("Operation")
    private String operation;

    @Label("Credits")
    @Description("How many messages the peer had room for when the wait began; a sender waits for the first one")
    private int credits;

    private EndpointWaitEvent() {}

    /**
     * A thread begins to wait.
     *
     * @param credits the messages that the peer has room for
     * @return the event, which begins now; null while nobody records it
     */
    public static EndpointWaitEvent begun(int credits) {
        if (!SWITCH.isEnabled()) {
            return null;
        }
        EndpointWaitEvent event = new EndpointWaitEvent();
        event.credits = credits;
        event.begin();
        return event;
    }

    /**
     * The wait is over.
     *
     * @param operation the call and the endpoint
     */
    public void over(String operation) {
        end();
        if (shouldCommit()) {
            this.operation = operation;
            commit();
        }
    }
}
