// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.spi.AbstractInterruptibleChannel;

/**
 * Ends a platform thread's wait in the kernel when the thread is interrupted. The JDK only notifies subclasses of
 * {@link AbstractInterruptibleChannel} of an interrupt, by closing the channel, so this class is one without being a
 * channel. An interrupt uses it up, and the next wait needs a new one.
 */
final class InterruptHook extends AbstractInterruptibleChannel {
    private final Runnable wakeUp;

    /**
     * Creates a hook.
     *
     * @param wakeUp ends the wait; called by the interrupting thread, or by the waiting thread if it is interrupted
     *     already
     */
    InterruptHook(Runnable wakeUp) {
        this.wakeUp = wakeUp;
    }

    /** Called when this thread begins to wait. */
    void arm() {
        begin();
    }

    /**
     * Called when this thread has stopped waiting.
     *
     * @return whether the hook is used up. The thread's interrupt status says whether the interrupt belongs to this
     *     wait: {@link Thread#interrupt()} first sets the status and then calls the hook, and in between the thread may
     *     have ended an earlier wait and cleared the status
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
