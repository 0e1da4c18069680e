// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

/**
 * The speed of one lane of a link ({@code active_speed} and {@code active_speed_ex} of {@code struct ibv_port_attr}).
 *
 * @since 0.1.0
 */
public enum LinkSpeed {
    /** The port does not report it. */
    UNKNOWN(0, 0),
    /** Single data rate, 2.5 Gbit/s. */
    SDR(1, 2.5),
    /** Double data rate, 5 Gbit/s. */
    DDR(2, 5),
    /** Quad data rate, 10 Gbit/s. */
    QDR(4, 10),
    /** Fourteen data rate at 10 Gbit/s. */
    FDR10(8, 10),
    /** Fourteen data rate, 14 Gbit/s. */
    FDR(16, 14),
    /** Enhanced data rate, 25 Gbit/s. */
    EDR(32, 25),
    /** High data rate, 50 Gbit/s. */
    HDR(64, 50),
    /** Next data rate, 100 Gbit/s. */
    NDR(128, 100),
    /** Extended data rate, 200 Gbit/s; only libraries and kernels of 2024 and later distinguish it from NDR. */
    XDR(256, 200);

    private final int code;
    private final double gigabits;

    LinkSpeed(int code, double gigabits) {
        this.code = code;
        this.gigabits = gigabits;
    }

    /** {@return the rate of one lane in Gbit/s, rounded like the names of the standard; 0 if unknown} */
    public double gigabitsPerSecond() {
        return gigabits;
    }

    /**
     * Returns the speed of a number.
     *
     * @param code the value of {@code active_speed}
     * @return the speed; {@link #UNKNOWN} for an unknown number
     */
    public static LinkSpeed ofCode(int code) {
        for (LinkSpeed speed : values()) {
            if (speed.code == code) {
                return speed;
            }
        }
        return UNKNOWN;
    }
}
