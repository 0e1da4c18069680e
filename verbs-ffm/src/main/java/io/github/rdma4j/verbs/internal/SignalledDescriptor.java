// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

/**
 * A descriptor that is readable when another one is, and while it is signalled: an epoll(7) instance over two
 * descriptors.
 */
public final class SignalledDescriptor {
    private final int epoll;
    private final int signal;

    /**
     * Creates a descriptor for another one.
     *
     * @param descriptor an open descriptor, which this object does not close
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

    /** Makes it readable only when the other descriptor is. */
    public void clear() {
        FileDescriptors.drain(signal);
    }

    /** Closes the descriptors that were opened here, before the other descriptor is closed. */
    public void close() {
        FileDescriptors.close(epoll);
        FileDescriptors.close(signal);
    }
}
