// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/** The version of the kernel, which determines what SoftRoCE refuses. */
final class KernelVersion {
    private KernelVersion() {}

    /** Whether the kernel that runs is of this version or a later one. */
    static boolean isAtLeast(int major, int minor) {
        String[] numbers = System.getProperty("os.version").split("[^0-9]+", 3);
        int itsMajor = Integer.parseInt(numbers[0]);
        return itsMajor > major || itsMajor == major && Integer.parseInt(numbers[1]) >= minor;
    }
}
