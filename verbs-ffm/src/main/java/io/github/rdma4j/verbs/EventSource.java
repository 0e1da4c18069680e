// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * An event source that an {@link EventPoller} can wait for: a completion channel, a device context (for its
 * asynchronous events) or an event channel of rdma_cm. A program can add its own, with any file descriptor that becomes
 * readable.
 *
 * @since 0.1.0
 */
public interface EventSource {
    /**
     * Returns the file descriptor that is readable when there is an event, for a program with its own poll(2) loop. It
     * belongs to this object: do not read from it, and do not close it.
     *
     * @return the descriptor
     * @throws IllegalStateException if this object is closed
     */
    int fileDescriptor();

    /** {@return whether this object has not been closed yet} */
    boolean isOpen();
}
