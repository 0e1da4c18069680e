// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.device.DeviceAttributes;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * Settings of a shared receive queue ({@code struct ibv_srq_init_attr_ex}). Each setter returns this object, and each
 * setting has a default.
 *
 * @since 0.1.0
 */
public final class SharedReceiveQueueConfig {
    private SharedReceiveQueueType type = SharedReceiveQueueType.BASIC;
    private static final int USUAL_DEPTH = 128;

    private OptionalInt maxWorkRequests = OptionalInt.empty();
    /** The effective depth. */
    private int depth = USUAL_DEPTH;

    private int maxScatterGather = 1;
    private XrcDomain xrcDomain;
    private CompletionQueue completionQueue;
    private int maxTags;
    private int maxTagOperations;

    SharedReceiveQueueConfig() {}

    /**
     * Sets the number of receives that it holds. The default is 128, or with its own completion queue a quarter of that
     * queue if that is less. Creating a queue pair that uses this queue fails if its completion queue has fewer free
     * entries.
     *
     * @param count at least 1, at most the device's {@link DeviceAttributes#maxSharedReceiveQueueWorkRequests()}
     * @return this
     */
    public SharedReceiveQueueConfig maxWorkRequests(int count) {
        maxWorkRequests = OptionalInt.of(count);
        return this;
    }

    /**
     * Sets the maximum number of slices of one receive; default 1.
     *
     * @param count at least 1, at most the device's {@link DeviceAttributes#maxSharedReceiveQueueScatterGather()}
     * @return this
     */
    public SharedReceiveQueueConfig maxScatterGather(int count) {
        maxScatterGather = count;
        return this;
    }

    /**
     * Puts it into {@linkplain SharedReceiveQueueType#XRC an XRC domain}.
     *
     * @param domain the domain whose messages may use it
     * @param queue the queue in which its receives complete
     * @return this
     */
    public SharedReceiveQueueConfig xrc(XrcDomain domain, CompletionQueue queue) {
        type = SharedReceiveQueueType.XRC;
        xrcDomain = Objects.requireNonNull(domain, "XRC domain");
        completionQueue = Objects.requireNonNull(queue, "completion queue");
        return this;
    }

    /**
     * Makes it {@linkplain SharedReceiveQueueType#TAG_MATCHING match tags}.
     *
     * @param queue the queue in which its receives and its tag operations complete. It needs free entries for all of
     *     them, and for as many messages as there can be tags
     * @param tags the maximum number of tags in its list, at least 1
     * @param operations the maximum number of outstanding operations on the list, at least 1
     * @return this
     */
    public SharedReceiveQueueConfig tagMatching(CompletionQueue queue, int tags, int operations) {
        type = SharedReceiveQueueType.TAG_MATCHING;
        xrcDomain = null;
        completionQueue = Objects.requireNonNull(queue, "completion queue");
        maxTags = tags;
        maxTagOperations = operations;
        return this;
    }

    /** Checks against the device's limits: the message has both numbers, while the kernel reports only EINVAL. */
    void check(DeviceContext context) {
        DeviceAttributes attributes = context.limits();
        checkWorkRequests(context, maxWorkRequests.orElse(1));
        requireRange(
                "maxScatterGather",
                maxScatterGather,
                attributes.maxSharedReceiveQueueScatterGather(),
                context.device().name());
        if (completionQueue != null) {
            completionQueue.requireOpen();
            if (completionQueue.context() != context) {
                throw new IllegalArgumentException("the completion queue belongs to another device context");
            }
        }
        if (xrcDomain != null) {
            xrcDomain.requireOpen();
            if (xrcDomain.context() != context) {
                throw new IllegalArgumentException("the XRC domain belongs to another device context");
            }
        }
        if (type == SharedReceiveQueueType.TAG_MATCHING && (maxTags < 1 || maxTagOperations < 1)) {
            throw new IllegalArgumentException(
                    "tag matching with %d tags and %d outstanding operations: at least 1 of each"
                            .formatted(maxTags, maxTagOperations));
        }
    }

    /** Called with the tree's lock held, before the creation. */
    void fitCompletionQueue() {
        if (completionQueue == null) {
            depth = maxWorkRequests.orElse(USUAL_DEPTH);
            return;
        }
        depth = maxWorkRequests.orElseGet(() -> CompletionBudget.depth(completionQueue, tagCompletions(), USUAL_DEPTH));
        CompletionBudget.require(
                completionQueue,
                depth + tagCompletions(),
                "this shared receive queue",
                "make this one, or what else completes there, less deep");
    }

    static void checkWorkRequests(DeviceContext context, int count) {
        requireRange(
                "maxWorkRequests",
                count,
                context.limits().maxSharedReceiveQueueWorkRequests(),
                context.device().name());
    }

    private static void requireRange(String name, int value, int high, String device) {
        if (value < 1 || value > high) {
            throw new IllegalArgumentException(
                    "%s %d of a shared receive queue: device %s allows 1..%d".formatted(name, value, device, high));
        }
    }

    SharedReceiveQueueType type() {
        return type;
    }

    int maxWorkRequests() {
        return depth;
    }

    int maxScatterGather() {
        return maxScatterGather;
    }

    /** Returns null if there is none. */
    XrcDomain xrcDomain() {
        return xrcDomain;
    }

    /** Returns null if there is none. */
    CompletionQueue completionQueue() {
        return completionQueue;
    }

    int maxTags() {
        return maxTags;
    }

    /** Returns the maximum number of completions of its list of tags: of matching messages and of operations. */
    long tagCompletions() {
        return type == SharedReceiveQueueType.TAG_MATCHING ? (long) maxTags + maxTagOperations : 0;
    }

    int maxTagOperations() {
        return maxTagOperations;
    }
}
