// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.endpoint.Message;
import io.netty.channel.IoHandle;

/** What {@link RdmaIoHandler} serves: a channel of this package. */
interface RdmaIoHandle extends IoHandle {
    /**
     * A message has come, and {@link #ready} follows; called by the event loop. If it throws, the channel is closed.
     */
    default void came(Message message) {
        throw new IllegalStateException("a server gets no messages");
    }

    /** There is something to do; called by the event loop. If it throws, the channel is closed. */
    void ready();
}
