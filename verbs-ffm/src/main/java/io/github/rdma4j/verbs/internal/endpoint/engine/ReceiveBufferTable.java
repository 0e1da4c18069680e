// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import io.github.rdma4j.verbs.endpoint.Message;
import java.nio.ByteBuffer;

/** The receive buffers of an endpoint, by number. */
public interface ReceiveBufferTable {
    /** Posts a buffer again. Returns 0 or an errno. */
    int post(int buffer);

    /** Returns a buffer, which {@link #postReturned} may post with others. Returns 0 or an errno. */
    int giveBack(int buffer);

    /** Posts the buffers that wait. Returns 0 or an errno. */
    int postReturned();

    /** {@return the message in a buffer, open until its handler returns} */
    Message message(int buffer, long length);

    /** {@return a whole buffer, with any position and limit} */
    ByteBuffer arrived(int buffer);

    /** {@return the frame behind the message in a buffer, on a transport without immediate data} */
    int frame(int buffer, long length);

    /** {@return a copy of the message in a buffer} */
    byte[] copy(int buffer, long length);
}
