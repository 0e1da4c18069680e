// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.topology;

import java.util.Locale;

/**
 * The PCI Express link above a function: its current state and its maximum. An idle GPU lowers the speed of its link,
 * but not the width.
 *
 * @param speed of a lane now, in GT/s; 0 if unknown
 * @param width lanes now; 0 if unknown
 * @param maxSpeed highest speed of a lane, in GT/s; 0 if unknown
 * @param maxWidth highest number of lanes; 0 if unknown
 * @since 0.1.0
 */
public record PciLink(double speed, int width, double maxSpeed, int maxWidth) {
    /** Unknown: not a PCI Express function, a virtual machine that hides it, or a virtual function. */
    public static final PciLink UNKNOWN = new PciLink(0, 0, 0, 0);

    /** From this generation on, 128 of 130 bits are data; before, 8 of 10. */
    private static final double GENERATION_3 = 8;

    /** From this generation on, 236 of 256 bytes of a flit are packets. */
    private static final double GENERATION_6 = 64;

    /** {@return the present bandwidth in each direction, in Gbit/s after encoding; 0 if unknown} */
    public double bandwidth() {
        return bandwidth(speed, width);
    }

    /** {@return the highest bandwidth in each direction, in Gbit/s after encoding; 0 if unknown} */
    public double maxBandwidth() {
        return bandwidth(maxSpeed, maxWidth);
    }

    /** {@return whether the link has fewer lanes than the function supports} */
    public boolean isNarrowed() {
        return width > 0 && width < maxWidth;
    }

    /** {@return whether the link is slower than the function supports} */
    public boolean isSlowed() {
        return speed > 0 && speed < maxSpeed;
    }

    private static double bandwidth(double speed, int width) {
        double encoding = speed >= GENERATION_6 ? 236.0 / 256 : speed >= GENERATION_3 ? 128.0 / 130 : 0.8;
        return speed * width * encoding;
    }

    /** {@return such as {@code 16.0 GT/s x16}, with the maximum if that is higher} */
    @Override
    public String toString() {
        if (speed == 0 || width == 0) {
            return maxSpeed == 0 || maxWidth == 0 ? "unknown" : "unknown, at most " + words(maxSpeed, maxWidth);
        }
        return words(speed, width) + (isNarrowed() || isSlowed() ? " of " + words(maxSpeed, maxWidth) : "");
    }

    private static String words(double speed, int width) {
        return String.format(Locale.ROOT, "%.1f GT/s x%d", speed, width);
    }
}
