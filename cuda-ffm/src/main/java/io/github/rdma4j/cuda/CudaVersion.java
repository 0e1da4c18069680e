// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * A version of CUDA, in the driver's format.
 *
 * @param number 1000 times the major plus 10 times the minor number
 * @since 0.1.0
 */
public record CudaVersion(int number) implements Comparable<CudaVersion> {
    /**
     * Returns a version.
     *
     * @param major such as 12
     * @param minor such as 4
     * @return the version
     */
    public static CudaVersion of(int major, int minor) {
        return new CudaVersion(major * 1000 + minor * 10);
    }

    /** {@return the major number, such as 12} */
    public int major() {
        return number / 1000;
    }

    /** {@return the minor number, such as 4} */
    public int minor() {
        return number % 1000 / 10;
    }

    /**
     * Whether this version is at least as new as another one.
     *
     * @param other the other version
     * @return whether it is the same version or a later one
     */
    public boolean isAtLeast(CudaVersion other) {
        return number >= other.number;
    }

    @Override
    public int compareTo(CudaVersion other) {
        return Integer.compare(number, other.number);
    }

    /** {@return such as 12.4} */
    @Override
    public String toString() {
        return major() + "." + minor();
    }
}
