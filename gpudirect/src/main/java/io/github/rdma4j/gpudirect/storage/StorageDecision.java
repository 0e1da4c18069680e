// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The path that was taken for a file, and why the paths before it were not. cuFile does not report whether it uses
 * GPUDirect Storage or its compatibility mode. rdma4j infers it from what cuFile reports about the machine, and from
 * the file system.
 *
 * @param path the path that was taken
 * @param refusals one for each path that was tried before, in order
 * @since 0.1.0
 */
public record StorageDecision(StoragePath path, List<StorageRefusal> refusals) {
    /** Copies the list. */
    public StorageDecision {
        refusals = List.copyOf(refusals);
    }

    /**
     * Returns why a path was not taken.
     *
     * @param refused the path
     * @return empty if it was taken or not tried
     */
    public Optional<StorageRefusal> refusal(StoragePath refused) {
        return refusals.stream().filter(each -> each.path() == refused).findFirst();
    }

    /** {@return a text such as {@code staged; not by GPUDirect Storage: …; not by compatibility mode: …}} */
    @Override
    public String toString() {
        return path + refusals.stream().map(each -> "; " + each).collect(Collectors.joining());
    }
}
