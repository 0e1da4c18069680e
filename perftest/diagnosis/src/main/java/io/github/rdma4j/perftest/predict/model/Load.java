// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.model;

/**
 * The load of a message on a link in one direction.
 *
 * @param link its name
 * @param direction such as {@code to the adapter}
 * @param capacity bytes per second that the link carries in this direction, including packet headers
 * @param crossings how often the message's bytes cross it: 0 if only headers do
 * @param packet bytes of a message in each packet
 * @param header bytes that each packet adds
 * @param perMessage bytes that each message adds
 */
public record Load(
        String link, String direction, double capacity, int crossings, int packet, int header, int perMessage) {
    /** Refuses invalid values. */
    public Load {
        if (!(capacity > 0) || Double.isInfinite(capacity)) {
            throw new IllegalArgumentException(link + ", " + direction + ": it carries " + capacity);
        }
        Ranges.within("packet", packet, 1, Integer.MAX_VALUE);
    }

    /** Returns a load without packets: only the bytes cross the link, this many times. */
    static Load plain(String link, String direction, double capacity, int crossings) {
        return new Load(link, direction, capacity, crossings, Integer.MAX_VALUE, 0, 0);
    }

    /** Returns the bytes on the link for a message, with all overhead. */
    public double bytes(long size) {
        return (double) size * crossings + Math.ceilDiv(Math.max(1, size), packet) * (double) header + perMessage;
    }

    /** Bytes for each byte of long messages. */
    public double perByte() {
        return crossings + (double) header / packet;
    }

    /** Link and direction. */
    public String name() {
        return link + ", " + direction;
    }
}
