// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** An asynchronous event of an adapter. */
@Name("rdma4j.DeviceEvent")
@Label("Device Event")
@Category("rdma4j")
@Description("An adapter has reported a change of a port, or the failure of a queue; known to programs that ask for"
        + " asynchronous events")
@StackTrace(false)
public final class DeviceEvent extends Event {
    @Label("Device")
    private String device;

    @Label("Event")
    @Description("What has happened, and to which port or queue")
    private String event;

    private DeviceEvent() {}

    /**
     * An event was taken.
     *
     * @param device the device's name
     * @param what has happened, and to which port or queue
     */
    public static void taken(String device, Object what) {
        DeviceEvent event = new DeviceEvent();
        if (event.shouldCommit()) {
            event.device = device;
            event.event = what.toString();
            event.commit();
        }
    }
}
