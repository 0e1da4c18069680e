// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.rdma;

import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.device.TransportType;
import io.github.rdma4j.verbs.internal.endpoint.engine.Link;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;

/** A connected queue pair with its surroundings. */
public interface VerbsLink extends Link {
    ProtectionDomain domain();

    QueuePair queuePair();

    /** Where both sends and receives complete; announces to {@link #channel()}. Null in a group. */
    CompletionQueue queue();

    CompletionChannel channel();

    /** Ready when {@link #lost()} may have something to report; null if there is no such source. */
    EventSource events();

    default boolean isIwarp() {
        return domain().context().device().transportType() == TransportType.IWARP;
    }

    /** The bytes behind each message: none where the link carries immediate data. */
    default int trailer() {
        return isIwarp() ? Frame.TRAILER : 0;
    }
}
