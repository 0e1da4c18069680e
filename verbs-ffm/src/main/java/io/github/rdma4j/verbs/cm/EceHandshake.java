// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.EnhancedConnectionEstablishment;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.Errno;

/**
 * Negotiates options beyond the standard between two providers of the same vendor, as librdmacm does: the client offers
 * options; the server sets those that it accepts and responds; the client sets the options in the response. Providers
 * without such options are not involved.
 */
final class EceHandshake {
    private EceHandshake() {}

    /** For a new queue pair: the options that it offers are sent with the connect; the options of a request are set. */
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

    /** In INIT: the options accepted from the request are sent with the accept. */
    static void answer(ConnectionId id, QueuePair queuePair) {
        EnhancedConnectionEstablishment ours = query(queuePair);
        if (ours.vendorId() != 0 && id.remoteEce().vendorId() != 0) {
            id.setLocalEce(ours);
        }
    }

    /** With the peer's response. */
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
            // librdmacm also continues without the options: the standard still works.
        }
    }
}
