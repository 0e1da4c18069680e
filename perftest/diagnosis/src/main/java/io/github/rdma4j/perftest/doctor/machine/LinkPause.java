// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

/**
 * The pauses of a link, which stop all of its traffic (IEEE 802.3x), of a network interface.
 *
 * @param obeys whether it stops when the other end of the link is full
 * @param asks whether it stops the other end when it is full itself
 * @param negotiated whether these are the values that it offers in autonegotiation, whose result is unknown
 */
public record LinkPause(boolean obeys, boolean asks, boolean negotiated) {
    /** Returns whether neither end of the link drops packets because its buffers are full. */
    public boolean isOn() {
        return obeys && asks;
    }

    /** Returns whether there is none at all. */
    public boolean isOff() {
        return !obeys && !asks;
    }
}
