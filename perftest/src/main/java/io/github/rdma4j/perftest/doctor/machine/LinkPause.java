// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

/**
 * The pauses of a link, which stop all of its traffic (IEEE 802.3x), of a network interface.
 *
 * @param obeys whether it stops when the other end of the link is full
 * @param asks whether it stops the other end when it is full itself
 * @param negotiated whether these are what it has asked for in the link's negotiation, whose result is not told
 */
public record LinkPause(boolean obeys, boolean asks, boolean negotiated) {
    /** Whether nothing is dropped at either end of the link for want of room. */
    public boolean isOn() {
        return obeys && asks;
    }

    /** Whether there is none at all. */
    public boolean isOff() {
        return !obeys && !asks;
    }
}
