// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.Objects;

/**
 * Settings of a completion queue, except its size. Each setter returns this object, and each setting has a default.
 *
 * @since 0.1.0
 */
public final class CompletionQueueConfig {
    private CompletionChannel channel;
    private int completionVector;

    CompletionQueueConfig() {}

    /**
     * Sets the channel in which the queue announces completions after {@link CompletionQueue#requestNotification};
     * default none.
     *
     * @param completionChannel of the same device context
     * @return this
     */
    public CompletionQueueConfig channel(CompletionChannel completionChannel) {
        channel = Objects.requireNonNull(completionChannel, "completion channel");
        return this;
    }

    /**
     * Sets the completion vector, which selects an interrupt of the adapter and so a CPU; default 0.
     *
     * @param vector from 0, less than {@link DeviceContext#completionVectorCount()}
     * @return this
     */
    public CompletionQueueConfig completionVector(int vector) {
        completionVector = vector;
        return this;
    }

    /** Checks against the device's limits: the message has both numbers, while the kernel reports only EINVAL. */
    void check(DeviceContext context, int minEntries) {
        checkEntries(context, minEntries);
        int vectors = context.completionVectorCount();
        if (completionVector < 0 || completionVector >= vectors) {
            throw new IllegalArgumentException("completionVector %d: device %s allows 0..%d"
                    .formatted(completionVector, context.device().name(), vectors - 1));
        }
        if (channel != null) {
            channel.requireOpen();
            if (channel.context() != context) {
                throw new IllegalArgumentException("the completion channel belongs to another device context");
            }
        }
    }

    static void checkEntries(DeviceContext context, int minEntries) {
        int limit = context.limits().maxCompletionQueueEntries();
        if (minEntries < 1 || minEntries > limit) {
            throw new IllegalArgumentException("a completion queue of %d entries: device %s allows 1..%d"
                    .formatted(minEntries, context.device().name(), limit));
        }
    }

    /** Returns null if there is none. */
    CompletionChannel channel() {
        return channel;
    }

    int completionVector() {
        return completionVector;
    }
}
