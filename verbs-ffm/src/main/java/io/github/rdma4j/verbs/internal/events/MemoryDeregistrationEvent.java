// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** The end of a registration. */
@Name("rdma4j.MemoryDeregistration")
@Label("Memory Deregistration")
@Category("rdma4j")
@Description("An adapter has let go of registered memory, or refused to")
public final class MemoryDeregistrationEvent extends Event {
    @Label("Device")
    private String device;

    @Label("Length")
    @DataAmount
    private long length;

    @Label("Errno")
    @Description("Why it was refused; 0 if it was not")
    private int errno;

    private MemoryDeregistrationEvent() {}

    /** {@return the event, which begins now} */
    public static MemoryDeregistrationEvent begun() {
        MemoryDeregistrationEvent event = new MemoryDeregistrationEvent();
        event.begin();
        return event;
    }

    /**
     * The verb has come back.
     *
     * @param device the device's name
     * @param length in bytes
     * @param errno of a refusal; else 0
     */
    public void over(String device, long length, int errno) {
        end();
        if (shouldCommit()) {
            this.device = device;
            this.length = length;
            this.errno = errno;
            commit();
        }
    }
}
