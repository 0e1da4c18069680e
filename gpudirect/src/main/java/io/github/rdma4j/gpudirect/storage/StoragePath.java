// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

/**
 * The path of bytes between a file and device memory.
 *
 * @since 0.1.0
 */
public enum StoragePath {
    /** The storage device or its network adapter reads and writes device memory (cuFile with GPUDirect Storage). */
    GPU_DIRECT("GPUDirect Storage"),
    /** cuFile copies through its own host memory (its compatibility mode). */
    COMPATIBLE("compatibility mode"),
    /** rdma4j copies through pinned host memory, with copies on a stream. Works everywhere. */
    STAGED("staged");

    private final String text;

    StoragePath(String text) {
        this.text = text;
    }

    /** {@return the name: {@code GPUDirect Storage}, {@code compatibility mode} or {@code staged}} */
    @Override
    public String toString() {
        return text;
    }
}
