// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

/** Checks that messages from the other end arrive in order. Used by one thread; any thread may query the count. */
final class Incoming {
    private final Content content;
    private volatile long received;

    Incoming(Content content) {
        this.content = content;
    }

    /** {@return how many correct messages have arrived} */
    long received() {
        return received;
    }

    /**
     * Checks the next message.
     *
     * @return whether it was the last one
     * @throws Wrong if it is another one
     */
    boolean take(byte[] message) {
        long count = Content.countOf(message);
        if (count >= 0) {
            if (count != received) {
                throw new Wrong("the end came behind " + received + " messages of " + count);
            }
            return true;
        }
        String complaint = content.complaint(message, received + 1);
        if (!complaint.isEmpty()) {
            throw new Wrong(complaint);
        }
        received++;
        return false;
    }
}
