// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

/**
 * The number of lanes of a link ({@code active_width} of {@code struct ibv_port_attr}).
 *
 * @since 0.1.0
 */
public enum LinkWidth {
    /** The port does not report it. */
    UNKNOWN(0, 0),
    /** One lane. */
    WIDTH_1X(1, 1),
    /** Two lanes. */
    WIDTH_2X(16, 2),
    /** Four lanes. */
    WIDTH_4X(2, 4),
    /** Eight lanes. */
    WIDTH_8X(4, 8),
    /** Twelve lanes. */
    WIDTH_12X(8, 12);

    private final int code;
    private final int lanes;

    LinkWidth(int code, int lanes) {
        this.code = code;
        this.lanes = lanes;
    }

    /** {@return the number of lanes, 1 to 12; 0 if unknown} */
    public int lanes() {
        return lanes;
    }

    /**
     * Returns the width of a number.
     *
     * @param code the value of {@code active_width}
     * @return the width; {@link #UNKNOWN} for an unknown number
     */
    public static LinkWidth ofCode(int code) {
        for (LinkWidth width : values()) {
            if (width.code == code) {
                return width;
            }
        }
        return UNKNOWN;
    }
}
