// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.EnhancedConnectionEstablishment;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.Errno;

/**
 * How two providers of the same vendor agree on what they can do beyond the standard, as librdmacm has them do it: the
 * client offers, the server sets what it takes of that and answers, the client sets what is in the answer. Providers
 * without such options are left alone.
 */
final class EceHandshake {
    private EceHandshake() {}

    /** With a new queue pair: what it offers goes with the connect; if there is a request, what is in it is set. */
    static void offer(ConnectionId id, QueuePair queuePair) {
        EnhancedConnectionEstablishment ours = query(queuePair);
        if (ours.vendorId() != 0) {
            id.setLocalEce(ours);
        }
        EnhancedConnectionEstablishment theirs = id.remoteEce();
        if (theirs.vendorId() != 0) {
            set(queuePair, theirs.vendorId() == ours.vendorId() ? theirs : nothingBeyond(ours));
        }
    }

    /** In INIT: what was taken of the request goes with the accept. */
    static void answer(ConnectionId id, QueuePair queuePair) {
        EnhancedConnectionEstablishment ours = query(queuePair);
        if (ours.vendorId() != 0 && id.remoteEce().vendorId() != 0) {
            id.setLocalEce(ours);
        }
    }

    /** With the peer's answer. */
    static void accept(ConnectionId id, QueuePair queuePair) {
        EnhancedConnectionEstablishment ours = query(queuePair);
        EnhancedConnectionEstablishment theirs = id.remoteEce();
        if (theirs.vendorId() != 0 && theirs.vendorId() != ours.vendorId()) {
            throw new VerbsException(
                    "completing " + id,
                    Errno.EINVAL,
                    "the peer answers with the options (ECE) of vendor 0x%x, and this side's vendor is 0x%x"
                            .formatted(theirs.vendorId(), ours.vendorId()),
                    "connect adapters of one vendor, or have one side's program use a queue pair that it moves itself");
        }
        set(queuePair, theirs.vendorId() == 0 ? nothingBeyond(ours) : theirs);
    }

    private static EnhancedConnectionEstablishment nothingBeyond(EnhancedConnectionEstablishment ours) {
        return new EnhancedConnectionEstablishment(ours.vendorId(), 0, 0);
    }

    private static EnhancedConnectionEstablishment query(QueuePair queuePair) {
        try {
            return queuePair.queryEce();
        } catch (UnsupportedVerbException e) {
            return new EnhancedConnectionEstablishment(0, 0, 0);
        }
    }

    private static void set(QueuePair queuePair, EnhancedConnectionEstablishment ece) {
        if (ece.vendorId() == 0) {
            return;
        }
        try {
            queuePair.setEce(ece);
        } catch (UnsupportedVerbException e) {
            // librdmacm goes on without, too: the standard's own ways are left.
        }
    }
}
