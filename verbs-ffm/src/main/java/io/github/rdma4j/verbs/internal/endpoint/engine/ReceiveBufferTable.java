// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import io.github.rdma4j.verbs.endpoint.Message;
import java.nio.ByteBuffer;

/** The receive buffers of an endpoint by their numbers, wherever they are. */
public interface ReceiveBufferTable {
    /** Gives a buffer back to the adapter; 0 or an errno. */
    int post(int buffer);

    /** Gives a buffer back to the adapter with others, at {@link #postReturned}; 0 or an errno. */
    int giveBack(int buffer);

    /** Gives the adapter the buffers that wait for it; 0 or an errno. */
    int postReturned();

    /** The message in a buffer, open until its handler returns. */
    Message message(int buffer, long length);

    /** A whole buffer; nobody relies on position and limit. */
    ByteBuffer arrived(int buffer);

    /** The frame behind the message in a buffer, on a transport without immediate data. */
    int frame(int buffer, long length);

    /** A copy of the message in a buffer. */
    byte[] copy(int buffer, long length);
}
