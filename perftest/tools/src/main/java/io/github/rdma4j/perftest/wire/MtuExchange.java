// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import io.github.rdma4j.verbs.device.Mtu;

/** The path MTU: two bytes, the digit of the verbs enumeration (1 is 256 bytes, 5 is 4096) and a NUL. */
public final class MtuExchange {
    private MtuExchange() {}

    /** Exchanges them and returns the smaller one. */
    public static Mtu agree(ControlChannel channel, Mtu mine) {
        byte[] theirs = channel.exchange(new byte[] {(byte) ('0' + mine.code()), 0}, "MTU");
        int code = theirs[0] - '0';
        if (code < Mtu.MTU_256.code() || code > Mtu.MTU_4096.code()) {
            throw new HandshakeException(
                    "the peer " + channel.peer() + " sent " + Garbage.show(theirs) + " for its MTU",
                    ControlChannel.SAME_TOOL);
        }
        return code < mine.code() ? Mtu.ofCode(code) : mine;
    }
}
