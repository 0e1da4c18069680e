// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.OptionalLong;

/**
 * The window on a GPU's memory that other devices reach it by (BAR1), and what of it this process has registered. What
 * other processes and the driver itself take of it, no file of sysfs tells: {@code nvidia-smi -q -d MEMORY} does.
 *
 * @param size of the window in bytes; empty if sysfs does not tell it
 * @param registered bytes of this process's regions that adapters reach directly, in pages of 64 KiB each; of all
 *     contexts of the GPU and all adapters, twice what two adapters have
 * @param limiting whether the window is smaller than the GPU's memory, and not one with a coherent link: then no more
 *     than its size can be registered at a time
 * @since 0.1.0
 */
public record Bar1Use(OptionalLong size, long registered, boolean limiting) {
    /**
     * {@return how many bytes can be registered at most, in bytes; less if others use the window. Empty if it limits
     * nothing, or its size is not known}
     */
    public OptionalLong room() {
        return limiting && size.isPresent()
                ? OptionalLong.of(Math.max(0, size.getAsLong() - registered))
                : OptionalLong.empty();
    }

    /** Whether so many bytes more are certainly too many. */
    boolean isTooSmallFor(long bytes) {
        return room().isPresent() && DirectBytes.pages(bytes) > room().getAsLong();
    }

    /** {@return both figures, on one line} */
    @Override
    public String toString() {
        if (size.isEmpty()) {
            return "BAR1 of unknown size, %d bytes registered by this process".formatted(registered);
        }
        return "BAR1 of %d bytes%s, %d registered by this process"
                .formatted(size.getAsLong(), limiting ? "" : " (no limit)", registered);
    }
}
