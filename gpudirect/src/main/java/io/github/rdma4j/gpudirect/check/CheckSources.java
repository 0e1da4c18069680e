// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import io.github.rdma4j.gpudirect.Bar1Memory;
import io.github.rdma4j.gpudirect.topology.PciAddress;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The sources of a check. Everything that it reads comes from here.
 *
 * @param root the folder that contains {@code sys}, {@code proc}, {@code dev} and {@code usr}, usually {@code /}
 * @param gpus asks the CUDA driver; called once, must not throw
 * @param adapters asks libibverbs; called once, must not throw
 * @param windows asks NVML how much of a GPU's BAR1 is in use; called once for each GPU, must not throw
 */
public record CheckSources(
        Path root,
        Supplier<GpuInventory> gpus,
        Supplier<AdapterInventory> adapters,
        Function<PciAddress, Bar1Memory> windows) {

    /** Requires all of the sources. */
    public CheckSources {
        Objects.requireNonNull(root, "root");
        Objects.requireNonNull(gpus, "gpus");
        Objects.requireNonNull(adapters, "adapters");
        Objects.requireNonNull(windows, "windows");
    }
}
