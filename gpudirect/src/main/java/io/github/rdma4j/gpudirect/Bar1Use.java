// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.OptionalLong;

/**
 * The window through which other devices reach a GPU's memory (BAR1): its size, how much this process has registered,
 * and the use by all processes and the driver.
 *
 * @param size of the window in bytes; empty if neither sysfs nor NVML reports it
 * @param registered bytes that this process has registered for direct access by adapters, in pages of 64 KiB. Counts
 *     all contexts of the GPU and all adapters; memory registered with two adapters counts twice
 * @param limiting whether the window is smaller than the GPU's memory, so that no more than the window's size can be
 *     registered at a time. Never on a GPU with a coherent link
 * @param all how much all processes and the driver use, or why that is unknown
 * @since 0.1.0
 */
public record Bar1Use(OptionalLong size, long registered, boolean limiting, Bar1Memory all) {
    /**
     * {@return the most bytes that can be registered. The real limit is lower if {@link #all} is unknown and others use
     * the window. Empty if the window sets no limit or its size is unknown}
     */
    public OptionalLong room() {
        if (!limiting || size.isEmpty()) {
            return OptionalLong.empty();
        }
        long beside = Math.max(0, size.getAsLong() - registered);
        return OptionalLong.of(Math.min(beside, all.free().orElse(beside)));
    }

    /** Whether this many more bytes certainly do not fit. */
    boolean isTooSmallFor(long bytes) {
        return room().isPresent() && DirectBytes.pages(bytes) > room().getAsLong();
    }

    /** {@return the figures, on one line} */
    @Override
    public String toString() {
        if (size.isEmpty()) {
            return "BAR1 of unknown size, %d bytes registered by this process".formatted(registered);
        }
        return "BAR1 of %d bytes%s, %d registered by this process%s"
                .formatted(
                        size.getAsLong(),
                        limiting ? "" : " (no limit)",
                        registered,
                        all.isKnown()
                                ? ", %d in use by all and %d free"
                                        .formatted(
                                                all.used().getAsLong(),
                                                all.free().getAsLong())
                                : "");
    }

    /** Returns the figures, and which of them are unknown, for a message about a full window. */
    String describe() {
        return all.isKnown() ? toString() : "%s; what others use of it is not known: %s".formatted(this, all.unknown());
    }
}
