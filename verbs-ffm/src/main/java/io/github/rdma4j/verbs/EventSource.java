// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * Something that an {@link EventPoller} can wait for: completion channels, device contexts (for their asynchronous
 * events) and the event channels of rdma_cm are, and a program may add its own, anything with a file descriptor that
 * becomes readable.
 *
 * @since 0.1.0
 */
public interface EventSource {
    /**
     * The file descriptor that is readable when an event is there, for a program that has its own poll(2) loop. It
     * belongs to this object: do not read from it, and do not close it.
     *
     * @return the descriptor
     * @throws IllegalStateException if this object is closed
     */
    int fileDescriptor();

    /** {@return whether this object has not been closed yet} */
    boolean isOpen();
}
