// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.List;
import java.util.OptionalInt;

/**
 * The depths of a queue pair's queues: as requested, otherwise the usual depth, or less with a short completion queue.
 */
final class QueuePairDepths {
    private static final int USUAL_DEPTH = 128;

    private OptionalInt askedSends = OptionalInt.empty();
    private OptionalInt askedReceives = OptionalInt.empty();
    private boolean oversubscribe;
    /** The effective depths. */
    private int sendDepth = USUAL_DEPTH;

    private int receiveDepth = USUAL_DEPTH;

    void send(int asked) {
        askedSends = OptionalInt.of(asked);
    }

    void receive(int asked) {
        askedReceives = OptionalInt.of(asked);
    }

    /** Sets whether the depths may exceed the capacity of the completion queues. */
    void oversubscribe(boolean allowed) {
        oversubscribe = allowed;
    }

    OptionalInt askedSends() {
        return askedSends;
    }

    OptionalInt askedReceives() {
        return askedReceives;
    }

    int send() {
        return sendDepth;
    }

    int receive() {
        return receiveDepth;
    }

    /**
     * Chooses the depths that were not set, and refuses depths that do not fit; called with the tree's lock held,
     * before the creation.
     */
    void fit(QueuePairConfig config) {
        sendDepth = askedSends.orElse(USUAL_DEPTH);
        receiveDepth = askedReceives.orElse(USUAL_DEPTH);
        if (config.hasNoQueues() || oversubscribe) {
            return;
        }
        CompletionQueue sendQueue = config.sendCompletionQueue();
        CompletionQueue receiveQueue = config.receiveCompletionQueue();
        boolean oneQueue = sendQueue == receiveQueue;
        long shared = receivesOfSharedQueue(config);
        if (askedSends.isEmpty()) {
            long receives = shared + (hasOwnReceives(config) ? askedReceives.orElse(0) : 0);
            sendDepth = CompletionBudget.depth(sendQueue, oneQueue ? receives : 0, USUAL_DEPTH);
        }
        if (askedReceives.isEmpty() && hasOwnReceives(config)) {
            long sends = oneQueue ? askedSends.orElse(0) : 0;
            receiveDepth = CompletionBudget.depth(receiveQueue, sends, USUAL_DEPTH);
        }
        long receives = hasOwnReceives(config) ? receiveDepth : shared;
        String who = "this queue pair, with %d sends%s,"
                .formatted(
                        sendDepth,
                        hasOwnReceives(config)
                                ? " and %d receives".formatted(receives)
                                : receives > 0 ? " and the %d receives of its shared queue".formatted(receives) : "");
        String remedy = "make the queues of its queue pairs less deep (maxSendWorkRequests, %s), or allow it"
                        .formatted(receiveSetting(config))
                + " (oversubscribeCompletionQueue) if fewer can be there";
        CompletionBudget.require(sendQueue, sendDepth + (oneQueue ? receives : 0), who, remedy);
        if (!oneQueue) {
            CompletionBudget.require(receiveQueue, receives, who, remedy);
        }
    }

    private static String receiveSetting(QueuePairConfig config) {
        return config.sharedReceiveQueue() == null
                ? "maxReceiveWorkRequests"
                : "SharedReceiveQueueConfig.maxWorkRequests";
    }

    private static boolean hasOwnReceives(QueuePairConfig config) {
        return config.sharedReceiveQueue() == null && config.type() != QueuePairType.XRC_SEND;
    }

    /** Returns the receives of the shared receive queue that can also complete in the completion queue. */
    private static long receivesOfSharedQueue(QueuePairConfig config) {
        SharedReceiveQueue shared = config.sharedReceiveQueue();
        return shared == null || CompletionBudget.counts(config.receiveCompletionQueue(), shared) ? 0 : shared.depth();
    }

    /** Returns the completions that it may have in completion queues; empty if they are not checked. */
    List<CompletionBudget.Share> shares(QueuePairConfig config) {
        if (config.hasNoQueues() || oversubscribe) {
            return List.of();
        }
        return List.of(
                new CompletionBudget.Share(config.sendCompletionQueue(), sendDepth, null),
                new CompletionBudget.Share(
                        config.receiveCompletionQueue(),
                        hasOwnReceives(config) ? receiveDepth : 0,
                        config.sharedReceiveQueue()));
    }
}
