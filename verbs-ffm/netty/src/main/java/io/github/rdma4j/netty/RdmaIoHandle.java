// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.endpoint.Message;
import io.netty.channel.IoHandle;

/** A channel that {@link RdmaIoHandler} serves. */
interface RdmaIoHandle extends IoHandle {
    /**
     * Takes a message; {@link #ready} follows. Called by the event loop. If it throws, the channel is closed.
     */
    default void came(Message message) {
        throw new IllegalStateException("a server gets no messages");
    }

    /** Handles events of the channel. Called by the event loop. If it throws, the channel is closed. */
    void ready();
}
