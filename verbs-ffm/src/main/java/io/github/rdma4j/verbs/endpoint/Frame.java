// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * The number beside each message of the endpoint protocol: what the message is, and how many credits it grants. The
 * message itself has no header, so it lies at the start of its buffer, and a message without bytes can carry credits.
 */
final class Frame {
    /** Data of the program; uses up one credit. */
    static final int MESSAGE = 0;
    /** Credits and nothing else; goes into the reserve. */
    static final int CREDIT = 1;
    /** The last message: the sender has closed; goes into the reserve. */
    static final int CLOSE = 2;

    /** What fits into the number, and so the most receive buffers that a side can have. */
    static final int MAX_CREDITS = 0xffff;

    private static final int KIND_SHIFT = 16;

    private Frame() {}

    static int of(int kind, int credits) {
        return kind << KIND_SHIFT | credits;
    }

    static int kind(int frame) {
        return frame >>> KIND_SHIFT;
    }

    static int credits(int frame) {
        return frame & MAX_CREDITS;
    }
}
