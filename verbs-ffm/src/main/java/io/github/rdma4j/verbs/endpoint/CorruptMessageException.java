// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.internal.endpoint.protocol.Loss;

/**
 * A message has come whose bytes are not those that the peer has sent, and was not given to the program: its sum, which
 * {@link EndpointConfig#integrity} has put behind it, is another one. The connection is lost with it, since what comes
 * behind a missing message is worth nothing.
 *
 * <p>Adapters and TCP find what goes wrong on the wire. What this finds happens beside the wire: in the memory of
 * either machine, in an adapter, a switch or a kernel, or by a program that writes where a message lies.
 *
 * @serial exclude
 * @since 0.1.0
 */
public final class CorruptMessageException extends ConnectionLostException {
    private static final long serialVersionUID = 1L;

    private final long number;
    private final long length;
    private final int said;
    private final int found;

    CorruptMessageException(String operation, String reason, Loss.Corruption corruption) {
        super(
                operation,
                reason,
                null,
                "look for failing memory on both machines (edac-util, dmesg), and for code that writes to buffers of"
                        + " the endpoint; connect again, and send again what was not answered");
        this.number = corruption.number();
        this.length = corruption.length();
        this.said = corruption.said();
        this.found = corruption.found();
    }

    /** {@return which one it was of the messages that the peer had to send, from 1} */
    public long number() {
        return number;
    }

    /** {@return how long the message was, in bytes, as it came} */
    public long length() {
        return length;
    }

    /** {@return the sum that came with the message} */
    public int expectedSum() {
        return said;
    }

    /** {@return the sum of the bytes that came, with the number that was due} */
    public int foundSum() {
        return found;
    }
}
