// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The path that was taken, and why each path before it in the order was not.
 *
 * @param path the path that was taken
 * @param refusals one for each path that was tried before, in order
 * @since 0.1.0
 */
public record PathDecision(GpuPath path, List<PathRefusal> refusals) {
    /** Copies the list. */
    public PathDecision {
        refusals = List.copyOf(refusals);
    }

    /**
     * Returns why a path was not taken.
     *
     * @param refused the path
     * @return empty if it was taken or not tried
     */
    public Optional<PathRefusal> refusal(GpuPath refused) {
        return refusals.stream().filter(each -> each.path() == refused).findFirst();
    }

    /** {@return a text such as {@code staged; not by dma-buf: …; not by peer memory: …}} */
    @Override
    public String toString() {
        return path + refusals.stream().map(each -> "; " + each).collect(Collectors.joining());
    }
}
