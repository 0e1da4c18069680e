// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Thrown when none of the permitted paths works for the memory.
 *
 * @since 0.1.0
 */
public class GpuPathUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<PathRefusal> refusals;

    /**
     * No permitted path works.
     *
     * @param memory the memory that could not be registered, as text
     * @param refusals one for each permitted path
     */
    GpuPathUnavailableException(String memory, List<PathRefusal> refusals) {
        super(memory + " cannot be registered"
                + refusals.stream().map(each -> ", " + each).collect(Collectors.joining())
                + (refusals.stream().anyMatch(each -> each.path() == GpuPath.STAGED)
                        ? ""
                        : ". The path 'staged' works everywhere; it was not among those allowed"));
        this.refusals = List.copyOf(refusals);
    }

    /** {@return one refusal for each permitted path, in order} */
    public List<PathRefusal> refusals() {
        return refusals == null ? List.of() : refusals;
    }
}
