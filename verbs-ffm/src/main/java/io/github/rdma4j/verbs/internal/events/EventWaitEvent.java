// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.events;

import java.util.function.Supplier;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

/** A wait for an event of the libraries. */
@Name("rdma4j.EventWait")
@Label("Event Wait")
@Category("rdma4j")
@Description("A thread has waited for a completion event, an event of the connection manager or one of a device")
@Threshold("20 ms")
public final class EventWaitEvent extends Event {
    private static final EventWaitEvent SWITCH = new EventWaitEvent();

    @Label("Operation")
    private String operation;

    private EventWaitEvent() {}

    /** {@return the event, which begins now; null while nobody records it} */
    public static EventWaitEvent begun() {
        if (!SWITCH.isEnabled()) {
            return null;
        }
        EventWaitEvent event = new EventWaitEvent();
        event.begin();
        return event;
    }

    /**
     * The wait is over.
     *
     * @param operation what was waited for
     */
    public void over(Supplier<String> operation) {
        end();
        if (shouldCommit()) {
            this.operation = operation.get();
            commit();
        }
    }
}
