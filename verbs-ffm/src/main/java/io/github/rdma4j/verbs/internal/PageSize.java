// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** The size of a page: 4096 bytes on x86-64; on aarch64 it is the kernel's choice, 4, 16 or 64 KiB. */
public final class PageSize {
    /** In bytes. */
    public static final long BYTES = of(Path.of("/proc/self/auxv"));

    /** A multiple of all page sizes, for a process that cannot read its own. */
    private static final long LARGEST = 65536;

    /** {@code AT_PAGESZ}: the entry of the auxiliary vector in which the kernel passes the page size to a process. */
    private static final long KEY = 6;

    private PageSize() {}

    static long of(Path vector) {
        try {
            ByteBuffer entries = ByteBuffer.wrap(Files.readAllBytes(vector)).order(ByteOrder.nativeOrder());
            while (entries.remaining() >= 2 * Long.BYTES) {
                long key = entries.getLong();
                long value = entries.getLong();
                if (key == KEY && Long.bitCount(value) == 1) {
                    return value;
                }
            }
        } catch (IOException e) {
            return LARGEST;
        }
        return LARGEST;
    }
}
