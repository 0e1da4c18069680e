// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Captures errno after a call, in one segment per thread, so that a call allocates nothing. */
final class Errno {
    static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");
    private static final long OFFSET =
            Linker.Option.captureStateLayout().byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    private static final ThreadLocal<MemorySegment> SEGMENT =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(Linker.Option.captureStateLayout()));

    private Errno() {}

    static MemorySegment segment() {
        return SEGMENT.get();
    }

    /** Returns the errno of a call that has failed; a successful call does not reset it. */
    static int last() {
        return SEGMENT.get().get(ValueLayout.JAVA_INT, OFFSET);
    }

    /** Used in the catch clause around a downcall, which declares Throwable. */
    static AssertionError unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        if (e instanceof RuntimeException exception) {
            throw exception;
        }
        return new AssertionError("a downcall cannot throw this", e);
    }
}
