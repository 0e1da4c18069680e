// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * The maximum rate of packets to a destination ({@code enum ibv_rate}), for an InfiniBand fabric whose links differ in
 * speed.
 *
 * @since 0.1.0
 */
public enum StaticRate {
    /** As fast as the port. */
    MAX(0, -1, -1),
    /** 2.5 Gbit/s: one lane of SDR. */
    GBPS_2_5(2, 2_500, 1),
    /** 10 Gbit/s. */
    GBPS_10(3, 10_000, 4),
    /** 30 Gbit/s. */
    GBPS_30(4, 30_000, 12),
    /** 5 Gbit/s. */
    GBPS_5(5, 5_000, 2),
    /** 20 Gbit/s. */
    GBPS_20(6, 20_000, 8),
    /** 40 Gbit/s. */
    GBPS_40(7, 40_000, 16),
    /** 60 Gbit/s. */
    GBPS_60(8, 60_000, 24),
    /** 80 Gbit/s. */
    GBPS_80(9, 80_000, 32),
    /** 120 Gbit/s. */
    GBPS_120(10, 120_000, 48),
    /** 14 Gbit/s: one lane of FDR. */
    GBPS_14(11, 14_062, -1),
    /** 56 Gbit/s. */
    GBPS_56(12, 56_250, -1),
    /** 112 Gbit/s. */
    GBPS_112(13, 112_500, -1),
    /** 168 Gbit/s. */
    GBPS_168(14, 168_750, -1),
    /** 25 Gbit/s: one lane of EDR. */
    GBPS_25(15, 25_781, -1),
    /** 100 Gbit/s. */
    GBPS_100(16, 103_125, -1),
    /** 200 Gbit/s. */
    GBPS_200(17, 206_250, -1),
    /** 300 Gbit/s. */
    GBPS_300(18, 309_375, -1),
    /** 28 Gbit/s: two lanes of FDR. */
    GBPS_28(19, 28_125, 11),
    /** 50 Gbit/s: one lane of HDR. */
    GBPS_50(20, 53_125, 20),
    /** 400 Gbit/s. */
    GBPS_400(21, 425_000, 160),
    /** 600 Gbit/s. */
    GBPS_600(22, 637_500, 240),
    /** 800 Gbit/s. */
    GBPS_800(23, 850_000, 320),
    /** 1200 Gbit/s. */
    GBPS_1200(24, 1_275_000, 480),
    /**
     * 1600 Gbit/s: eight lanes of XDR. The standard and the kernel have it; libibverbs' functions do not support it
     * yet.
     */
    GBPS_1600(25, 1_700_000, 640),
    /** A rate that this library has no name for. */
    UNKNOWN(-1, -1, -1);

    private static final StaticRate[] BY_CODE = values();

    private final int code;
    private final int megabitsPerSecond;
    private final int multiple;

    StaticRate(int code, int megabitsPerSecond, int multiple) {
        this.code = code;
        this.megabitsPerSecond = megabitsPerSecond;
        this.multiple = multiple;
    }

    int code() {
        return code;
    }

    static StaticRate ofCode(int code) {
        for (StaticRate rate : BY_CODE) {
            if (rate.code == code) {
                return rate;
            }
        }
        return UNKNOWN;
    }

    /** {@return the signalling rate in Mbit/s ({@code ibv_rate_to_mbps}); -1 for {@link #MAX} and {@link #UNKNOWN}} */
    public int megabitsPerSecond() {
        return megabitsPerSecond;
    }

    /**
     * Returns the nominal multiple of 2.5 Gbit/s ({@code ibv_rate_to_mult}).
     *
     * @return 1 to 640; -1 for rates without a multiple in the verb, including {@link #MAX} and the rates of FDR and
     *     EDR
     */
    public int multiple() {
        return multiple;
    }

    /**
     * Returns the rate of exactly a speed ({@code mbps_to_ibv_rate}).
     *
     * @param megabitsPerSecond the speed, as in {@link #megabitsPerSecond()}
     * @return the rate; {@link #MAX} if there is none of that speed, as in C
     */
    public static StaticRate ofMegabitsPerSecond(int megabitsPerSecond) {
        for (StaticRate rate : BY_CODE) {
            if (rate.megabitsPerSecond == megabitsPerSecond) {
                return rate;
            }
        }
        return MAX;
    }

    /**
     * Returns the rate that is a multiple of 2.5 Gbit/s ({@code mult_to_ibv_rate}).
     *
     * @param multiple the multiple, as in {@link #multiple()}
     * @return the rate; {@link #MAX} if there is none, as in C
     */
    public static StaticRate ofMultiple(int multiple) {
        for (StaticRate rate : BY_CODE) {
            if (rate.multiple == multiple) {
                return rate;
            }
        }
        return MAX;
    }
}
