// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.result;

/**
 * The GPU memory of a host.
 *
 * @param name number, name and PCI address of the GPU; null if no GPU memory can be measured
 * @param path the adapter's path to it, as on the command line; null without a GPU
 * @param reason why there is no GPU, or no better path; may be empty
 */
public record HostGpu(String name, String path, String reason) {
    private static final String STAGED = "staged";

    /** Returns whether its memory can be measured. */
    public boolean isUsable() {
        return name != null;
    }

    /** Returns whether its memory is copied through host memory although a better path was tried. */
    public boolean isStagedForLackOfBetter() {
        return STAGED.equals(path) && !reason.isEmpty();
    }
}
