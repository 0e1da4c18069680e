// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.Objects;

/**
 * What a completion queue is to be, besides its size. Each setter returns this object; everything has a default.
 *
 * @since 0.1.0
 */
public final class CompletionQueueConfig {
    private CompletionChannel channel;
    private int completionVector;

    CompletionQueueConfig() {}

    /**
     * Where the queue announces completions once {@link CompletionQueue#requestNotification} has asked for it; default
     * nowhere.
     *
     * @param completionChannel of the same device context
     * @return this
     */
    public CompletionQueueConfig channel(CompletionChannel completionChannel) {
        channel = Objects.requireNonNull(completionChannel, "completion channel");
        return this;
    }

    /**
     * The completion vector, on adapters an interrupt and with it a processor; default 0.
     *
     * @param vector from 0, less than {@link DeviceContext#completionVectorCount()}
     * @return this
     */
    public CompletionQueueConfig completionVector(int vector) {
        completionVector = vector;
        return this;
    }

    /** Checks against the device, so that the message can give both numbers where the kernel says only EINVAL. */
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

    /** Null if there is none. */
    CompletionChannel channel() {
        return channel;
    }

    int completionVector() {
        return completionVector;
    }
}
