// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.OptionalLong;

/**
 * The window on a GPU's memory that other devices reach it by (BAR1), what of it this process has registered, and what
 * all processes and the driver use.
 *
 * @param size of the window in bytes; empty if neither sysfs nor NVML reports it
 * @param registered bytes of this process's regions that adapters reach directly, in pages of 64 KiB each; of all
 *     contexts of the GPU and all adapters, twice what two adapters have
 * @param limiting whether the window is smaller than the GPU's memory, and not one with a coherent link: then no more
 *     than its size can be registered at a time
 * @param all what all processes and the driver use of it, or why that is not known
 * @since 0.1.0
 */
public record Bar1Use(OptionalLong size, long registered, boolean limiting, Bar1Memory all) {
    /**
     * {@return how much can be registered at most, in bytes; where {@link #all} is not known, less if others use the
     * window. Empty if it limits nothing, or its size is not known}
     */
    public OptionalLong room() {
        if (!limiting || size.isEmpty()) {
            return OptionalLong.empty();
        }
        long beside = Math.max(0, size.getAsLong() - registered);
        return OptionalLong.of(Math.min(beside, all.free().orElse(beside)));
    }

    /** Whether so many bytes more are certainly too many. */
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

    /** The figures, and what is not known of them, for a message about a window that is full. */
    String describe() {
        return all.isKnown() ? toString() : "%s; what others use of it is not known: %s".formatted(this, all.unknown());
    }
}
