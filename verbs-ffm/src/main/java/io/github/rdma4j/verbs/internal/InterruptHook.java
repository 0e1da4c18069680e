// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.spi.AbstractInterruptibleChannel;

/**
 * Ends the wait in the kernel of a platform thread that is interrupted. The JDK tells nobody of an interrupt but the
 * subclasses of {@link AbstractInterruptibleChannel}, in which it closes the channel: so here is one that is no
 * channel. After an interrupt it is spent, and the next wait needs another one.
 */
final class InterruptHook extends AbstractInterruptibleChannel {
    private final Runnable wakeUp;

    /**
     * A new one.
     *
     * @param wakeUp ends the wait; called by the thread that interrupts, or by the waiting one if it is interrupted
     *     already
     */
    InterruptHook(Runnable wakeUp) {
        this.wakeUp = wakeUp;
    }

    /** This thread begins to wait. */
    void arm() {
        begin();
    }

    /**
     * This thread does not wait any more.
     *
     * @return whether this is spent. The thread's interrupt status tells whether that is an interrupt of this wait:
     *     {@link Thread#interrupt()} first sets the status and then calls this, and between the two the thread can have
     *     ended an earlier wait and cleared the status
     */
    boolean disarm() {
        try {
            end(true);
            return false;
        } catch (AsynchronousCloseException e) {
            return true;
        }
    }

    @Override
    protected void implCloseChannel() {
        wakeUp.run();
    }
}
