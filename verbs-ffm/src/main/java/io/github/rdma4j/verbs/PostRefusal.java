// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_qp;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;

/**
 * Converts the errno of a refused post: a full queue to {@code false}, everything else to an exception. The posting
 * methods call it only after a refusal, so that they stay small enough for the compiler to inline.
 */
final class PostRefusal {
    private PostRefusal() {}

    /** Returns false if the send queue is full, and otherwise throws. Called outside the guard. */
    static boolean ofSend(QueuePair queuePair, int errno) {
        requireReadyToSend(queuePair, errno);
        return full(queuePair.hasExtendedPosting() ? "ibv_wr_complete(%s)" : "ibv_post_send(%s)", queuePair, errno);
    }

    /** Throws if the state of the queue pair is the reason for the errno. */
    static void requireReadyToSend(QueuePair queuePair, int errno) {
        if (mayComeOfState(queuePair, errno)) {
            switch (QueuePairModification.stateOrUnknown(queuePair)) {
                case RESET, INIT, RTR -> throw notReady(queuePair, "send", "RTS");
                case ERR -> requireNotFailed(queuePair, "send");
                default -> {}
            }
        }
    }

    /** Returns false if the receive queue is full, and otherwise throws. Called outside the guard. */
    static boolean ofReceive(Resource owner, int errno) {
        // Drivers report only EINVAL if the state is wrong.
        if (errno == Errno.EINVAL && owner instanceof QueuePair queuePair) {
            switch (QueuePairModification.stateOrUnknown(queuePair)) {
                case RESET -> throw notReady(queuePair, "receive", "INIT");
                case ERR -> requireNotFailed(queuePair, "receive");
                default -> {}
            }
        }
        String verb = switch (owner) {
            case SharedReceiveQueue _ -> "ibv_post_srq_recv(%s)";
            case WorkQueue _ -> "ibv_post_wq_recv(%s)";
            default -> "ibv_post_recv(%s)";
        };
        return full(verb, owner, errno);
    }

    /** Returns false if the list of tags is full, and otherwise throws. */
    static boolean ofTag(SharedReceiveQueue owner, int errno) {
        return full("ibv_post_srq_ops(%s)", owner, errno);
    }

    private static boolean full(String verb, Resource owner, int errno) {
        if (errno == Errno.ENOMEM) {
            return false;
        }
        throw Failures.of(verb.formatted(owner), errno);
    }

    /** Drivers report only EINVAL if the state is wrong, and libmlx5 reports a full queue. */
    private static boolean mayComeOfState(QueuePair queuePair, int errno) {
        return errno == Errno.EINVAL
                || errno == Errno.ENOMEM
                        && queuePair.domain().context().driver().isMlx5()
                        && ibv_qp.state(queuePair.segment()) < RdmaHeaders.IBV_QPS_RTS();
    }

    /** Other drivers accept a post in the error state, and complete it as flushed: there EINVAL has another reason. */
    private static void requireNotFailed(QueuePair queuePair, String what) {
        if (queuePair.domain().context().driver().isEfa()) {
            throw new IllegalStateException(
                    ("posting a %s on %s: its state is ERR. Read its completions for the cause, close it and create"
                                    + " another one")
                            .formatted(what, queuePair));
        }
    }

    private static IllegalStateException notReady(QueuePair queuePair, String what, String from) {
        if (QueuePairModification.isIwarp(queuePair)) {
            // The kernel moves the queue pair, and siw never reports its state.
            return new IllegalStateException(("posting a %s on %s was refused (EINVAL): iWARP has no atomic operations"
                            + " and no immediate data with sends, and takes sends only while it is connected")
                    .formatted(what, queuePair));
        }
        return new IllegalStateException(
                ("posting a %s on %s: its state is %s, and %ss can be posted from %s on. Connect it first"
                                + " (PreparedQueuePair.connect or activate; with rdma_cm wait for ESTABLISHED)")
                        .formatted(what, queuePair, QueuePairModification.stateOrUnknown(queuePair), what, from));
    }
}
