// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A registration of memory, which pins its pages: a frequent one is what makes a program slow. */
@Name("rdma4j.MemoryRegistration")
@Label("Memory Registration")
@Category("rdma4j")
@Description("Memory was registered with an adapter, or the adapter has refused it")
public final class MemoryRegistrationEvent extends Event {
    @Label("Device")
    private String device;

    @Label("Call")
    @Description("The verb with its arguments")
    private String call;

    @Label("Length")
    @DataAmount
    private long length;

    @Label("Errno")
    @Description("Why it was refused; 0 if it was not")
    private int errno;

    private MemoryRegistrationEvent() {}

    /** {@return the event, which begins now} */
    public static MemoryRegistrationEvent begun() {
        MemoryRegistrationEvent event = new MemoryRegistrationEvent();
        event.begin();
        return event;
    }

    /**
     * The verb has come back.
     *
     * @param device the device's name
     * @param call the verb with its arguments
     * @param length in bytes
     * @param errno of a refusal; else 0
     */
    public void over(String device, String call, long length, int errno) {
        end();
        if (shouldCommit()) {
            this.device = device;
            this.call = call;
            this.length = length;
            this.errno = errno;
            commit();
        }
    }
}
