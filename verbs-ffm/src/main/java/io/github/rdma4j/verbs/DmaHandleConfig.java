// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.OptionalInt;

/**
 * The hints of a {@link DmaHandle}; none by default. Each setter returns this object. Thread safety: for one thread.
 *
 * @experimental SoftRoCE does not support it, and it has not been run on an adapter.
 * @since 0.1.0
 */
public final class DmaHandleConfig {
    private OptionalInt processor = OptionalInt.empty();
    private OptionalInt processingHint = OptionalInt.empty();
    private OptionalInt memoryType = OptionalInt.empty();

    DmaHandleConfig() {}

    /**
     * Sets the CPU whose cache the data should go to.
     *
     * @param number as the operating system numbers CPUs, from 0
     * @return this
     */
    public DmaHandleConfig processor(int number) {
        if (number < 0) {
            throw new IllegalArgumentException("processor " + number + ": they are counted from 0");
        }
        processor = OptionalInt.of(number);
        return this;
    }

    /**
     * Sets the processing hint of the PCI Express specification.
     *
     * @param hint 0 bidirectional, 1 requester, 2 target, 3 target with priority
     * @return this
     */
    public DmaHandleConfig processingHint(int hint) {
        if (hint < 0 || hint > 3) {
            throw new IllegalArgumentException("processing hint " + hint + ": PCI Express has 0..3");
        }
        processingHint = OptionalInt.of(hint);
        return this;
    }

    /**
     * Sets whether the memory is persistent ({@code enum ibv_tph_mem_type}).
     *
     * @param persistent false for ordinary memory
     * @return this
     */
    public DmaHandleConfig persistentMemory(boolean persistent) {
        memoryType = OptionalInt.of(persistent ? 1 : 0);
        return this;
    }

    OptionalInt processor() {
        return processor;
    }

    OptionalInt processingHint() {
        return processingHint;
    }

    OptionalInt memoryType() {
        return memoryType;
    }

    /** {@return the hints that were set} */
    @Override
    public String toString() {
        return "cpu_id=%s, ph=%s, tph_mem_type=%s".formatted(text(processor), text(processingHint), text(memoryType));
    }

    private static String text(OptionalInt value) {
        return value.isPresent() ? Integer.toString(value.getAsInt()) : "none";
    }
}
