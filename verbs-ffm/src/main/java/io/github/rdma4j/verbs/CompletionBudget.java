// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.stream.Stream;

/**
 * How many completions can be in a completion queue at once: the depths of what completes into it. All methods are
 * called with the tree's lock held, so that two threads cannot both take the last room.
 */
final class CompletionBudget {
    private CompletionBudget() {}

    /**
     * What a queue pair can have in a completion queue.
     *
     * @param depth the requests that are its own
     * @param shared whose receives it may take besides; null for none
     */
    record Share(CompletionQueue queue, int depth, SharedReceiveQueue shared) {}

    /** The most completions of all who use the queue now. */
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

    /** Each once: its receives complete once, whichever queue pair takes them. */
    private static Stream<SharedReceiveQueue> sharedQueues(CompletionQueue queue) {
        return Stream.concat(
                        queue.children(SharedReceiveQueue.class).stream(),
                        shares(queue).map(Share::shared).filter(shared -> shared != null))
                .distinct();
    }

    /** Whether the receives of a shared queue are among those that can complete there already. */
    static boolean counts(CompletionQueue queue, SharedReceiveQueue shared) {
        return sharedQueues(queue).anyMatch(counted -> counted == shared);
    }

    /**
     * The depth for somebody who has not asked for one: the usual one, or less where that is more than half of the room
     * that is left. The other half is for those who come later.
     *
     * @param besides completions that come to those of others
     * @param parts how many such depths the half is for
     * @return at least 1, though the queue may be full
     */
    static int depth(CompletionQueue queue, long besides, int parts, int usual) {
        if (queue.ignoresOverrun()) {
            return usual;
        }
        return Math.clamp((queue.capacity() - taken(queue) - besides) / 2 / parts, 1, usual);
    }

    /**
     * Refuses what could overrun the queue.
     *
     * @param more the completions that come to those of others
     * @param who adds them
     * @param remedy besides a longer queue
     */
    static void require(CompletionQueue queue, long more, String who, String remedy) {
        long taken = taken(queue);
        if (taken + more > queue.capacity() && !queue.ignoresOverrun()) {
            throw new IllegalArgumentException(
                    "%s can have %d completions in a %s, where %d can come from others: make it %d entries long, or %s"
                            .formatted(who, more, queue, taken, taken + more, remedy));
        }
    }

    /** Refuses a shared queue's becoming longer than the completion queues of its receives bear. */
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
