// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Thrown when none of the permitted paths works for the file.
 *
 * @serial exclude
 * @since 0.1.0
 */
public class StoragePathUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<StorageRefusal> refusals;

    StoragePathUnavailableException(String file, List<StorageRefusal> refusals) {
        super(file + " cannot be opened"
                + refusals.stream().map(each -> ", " + each).collect(Collectors.joining())
                + ". The path 'staged' works everywhere; it was not among those allowed");
        this.refusals = List.copyOf(refusals);
    }

    /** {@return one refusal for each permitted path, in order} */
    public List<StorageRefusal> refusals() {
        return refusals == null ? List.of() : refusals;
    }
}
