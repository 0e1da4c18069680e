// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

/**
 * A descriptor that is readable when another one is, and also as long as it is told to be: an epoll(7) instance over
 * two.
 */
public final class SignalledDescriptor {
    private final int epoll;
    private final int signal;

    /**
     * Stands for a descriptor.
     *
     * @param descriptor an open one, which remains its owner's
     */
    public SignalledDescriptor(int descriptor) {
        epoll = FileDescriptors.createEpoll();
        int created = -1;
        try {
            created = FileDescriptors.createEventFd();
            FileDescriptors.epollAdd(epoll, descriptor, FileDescriptors.READABLE, descriptor);
            FileDescriptors.epollAdd(epoll, created, FileDescriptors.READABLE, created);
        } catch (Throwable e) {
            FileDescriptors.close(epoll);
            if (created >= 0) {
                FileDescriptors.close(created);
            }
            throw e;
        }
        signal = created;
    }

    /** {@return the descriptor to wait for; nothing can be read from it} */
    public int number() {
        return epoll;
    }

    /** Makes it readable, until {@link #clear()}. */
    public void signal() {
        FileDescriptors.signal(signal);
    }

    /** From now on it is readable only when the other descriptor is. */
    public void clear() {
        FileDescriptors.drain(signal);
    }

    /** Closes what was opened here, before the other descriptor is closed. */
    public void close() {
        FileDescriptors.close(epoll);
        FileDescriptors.close(signal);
    }
}
