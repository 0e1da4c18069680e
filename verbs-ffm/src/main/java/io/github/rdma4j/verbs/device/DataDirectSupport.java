// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Whether an adapter has a Data Direct engine: a separate PCI function that accesses other devices' memory (ConnectX-8
 * and later).
 *
 * @param function the function's directory in sysfs; empty if there is none
 * @param reason why there is none, in words; empty if there is one
 * @since 0.1.0
 */
public record DataDirectSupport(Optional<Path> function, String reason) {
    /** {@return whether memory can be registered with it} */
    public boolean isAvailable() {
        return function.isPresent();
    }

    /** {@return the function, or why there is none} */
    @Override
    public String toString() {
        return function.map(path -> "Data Direct by " + path).orElse("no Data Direct: " + reason);
    }
}
