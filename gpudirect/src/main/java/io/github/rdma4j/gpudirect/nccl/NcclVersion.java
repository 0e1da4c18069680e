// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import java.util.Comparator;

/**
 * A version of NCCL.
 *
 * @param major such as 2
 * @param minor such as 27
 * @param patch such as 3
 * @since 0.1.0
 */
public record NcclVersion(int major, int minor, int patch) implements Comparable<NcclVersion> {
    private static final Comparator<NcclVersion> ORDER = Comparator.comparingInt(NcclVersion::major)
            .thenComparingInt(NcclVersion::minor)
            .thenComparingInt(NcclVersion::patch);
    private static final int HUNDRED = 100;
    private static final int FIRST_LONG_CODE = 10_000;
    private static final int LAST_SHORT_MINOR = 8;

    /**
     * Returns the version for a number in ncclGetVersion's format.
     *
     * @param code up to 2.8, 1000 times the major number; later, 10000 times; plus 100 times the minor and the patch
     *     number
     * @return the version
     */
    public static NcclVersion ofCode(int code) {
        int unit = code < FIRST_LONG_CODE ? FIRST_LONG_CODE / 10 : FIRST_LONG_CODE;
        return new NcclVersion(code / unit, code % unit / HUNDRED, code % HUNDRED);
    }

    /** {@return the number in the format of {@code NCCL_VERSION_CODE}} */
    public int code() {
        int unit = major <= 2 && minor <= LAST_SHORT_MINOR ? FIRST_LONG_CODE / 10 : FIRST_LONG_CODE;
        return major * unit + minor * HUNDRED + patch;
    }

    /**
     * Whether this version is at least as new as another one.
     *
     * @param other the other version
     * @return whether it is the same version or a later one
     */
    public boolean isAtLeast(NcclVersion other) {
        return compareTo(other) >= 0;
    }

    @Override
    public int compareTo(NcclVersion other) {
        return ORDER.compare(this, other);
    }

    /** {@return such as {@code 2.27.3}} */
    @Override
    public String toString() {
        return major + "." + minor + "." + patch;
    }
}
