// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.stream.Stream;

/**
 * Computes how many completions a completion queue can hold at once, from the depths of the queues that complete into
 * it. All methods are called with the tree's lock held, so that two threads cannot both take the last entries.
 */
final class CompletionBudget {
    private CompletionBudget() {}

    /**
     * The most completions of a queue pair in a completion queue.
     *
     * @param depth the depth of its own queues
     * @param shared the shared receive queue that it also takes receives from, or null
     */
    record Share(CompletionQueue queue, int depth, SharedReceiveQueue shared) {}

    /** Returns the most completions of all current users of the queue. */
    static long taken(CompletionQueue queue) {
        long own = shares(queue).mapToLong(Share::depth).sum();
        long workQueues = queue.children(WorkQueue.class).stream()
                .mapToLong(WorkQueue::depth)
                .sum();
        long tags = queue.children(SharedReceiveQueue.class).stream()
                .mapToLong(SharedReceiveQueue::tagCompletions)
                .sum();
        return own
                + workQueues
                + tags
                + sharedQueues(queue).mapToLong(SharedReceiveQueue::depth).sum();
    }

    private static Stream<Share> shares(CompletionQueue queue) {
        return queue.children(QueuePair.class).stream()
                .flatMap(pair -> pair.completionShares().stream())
                .filter(share -> share.queue() == queue);
    }

    /** Each queue once: its receives complete once, whichever queue pair takes them. */
    private static Stream<SharedReceiveQueue> sharedQueues(CompletionQueue queue) {
        return Stream.concat(
                        queue.children(SharedReceiveQueue.class).stream(),
                        shares(queue).map(Share::shared).filter(shared -> shared != null))
                .distinct();
    }

    /** Returns whether the receives of a shared queue are already counted there. */
    static boolean counts(CompletionQueue queue, SharedReceiveQueue shared) {
        return sharedQueues(queue).anyMatch(counted -> counted == shared);
    }

    /**
     * Returns the depth for a user that has not requested one: the usual depth, or less if that exceeds a quarter of
     * the queue. It does not depend on the queue's other users: the connections of a server are equally deep, and one
     * that does not fit is refused.
     *
     * @param besides the completions that the user has requested in this queue
     * @return at least 1
     */
    static int depth(CompletionQueue queue, long besides, int usual) {
        if (queue.ignoresOverrun()) {
            return usual;
        }
        return Math.clamp(Math.min(queue.capacity() / 4, queue.capacity() - besides), 1, usual);
    }

    /**
     * Refuses completions that could overrun the queue.
     *
     * @param more the additional completions
     * @param who adds them
     * @param remedy an alternative to a longer queue
     */
    static void require(CompletionQueue queue, long more, String who, String remedy) {
        long taken = taken(queue);
        if (taken + more > queue.capacity() && !queue.ignoresOverrun()) {
            throw new IllegalArgumentException(
                    "%s can have %d completions in a %s, where %d can come from others: make it %d entries long, or %s"
                            .formatted(who, more, queue, taken, taken + more, remedy));
        }
    }

    /** Refuses to make a shared queue longer than the completion queues of its receives allow. */
    static void requireGrowth(SharedReceiveQueue shared, long more) {
        if (more <= 0) {
            return;
        }
        Stream.concat(
                        shared.parents().stream()
                                .filter(CompletionQueue.class::isInstance)
                                .map(CompletionQueue.class::cast),
                        shared.children(QueuePair.class).stream()
                                .flatMap(pair -> pair.completionShares().stream())
                                .filter(share -> share.shared() == shared)
                                .map(Share::queue))
                .distinct()
                .forEach(queue ->
                        require(queue, more, "the longer shared receive queue", "make what completes there less deep"));
    }
}
