// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

/** The kinds of memory of --cuda_mem_type, by the numbers of the C tools. */
public enum GpuMemoryType {
    /** Device memory from cuMemAlloc. */
    DEVICE(0, "device memory"),

    /** Moves between host and device as it is used: cuMemAllocManaged. */
    MANAGED(1, "managed memory"),

    /** The host's, not pinned, which GPU and adapter fault in. */
    MALLOC(4, "host memory (malloc)");

    private final int number;
    private final String words;

    GpuMemoryType(int number, String words) {
        this.number = number;
        this.words = words;
    }

    /** Returns its name in text. */
    public String words() {
        return words;
    }

    /** Returns the type for a number of the C tools; null for an invalid one. */
    static GpuMemoryType of(int number) {
        for (GpuMemoryType type : values()) {
            if (type.number == number) {
                return type;
            }
        }
        return null;
    }
}
