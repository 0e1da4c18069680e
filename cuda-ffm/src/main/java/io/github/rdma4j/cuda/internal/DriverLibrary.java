// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.base.DynamicLoader;
import io.github.rdma4j.cuda.CudaUnavailableException;
import io.github.rdma4j.cuda.CudaUnavailableException.Reason;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;

/** Opens the driver's library. If that fails, reports the dynamic loader's own message. */
final class DriverLibrary {
    private static final String REMEDY =
            "install NVIDIA's driver with its CUDA library (Debian: apt-get install libcuda1, from non-free; Ubuntu:"
                    + " libnvidia-compute-<version>; Fedora, RHEL: nvidia-driver-cuda-libs); in a container, start it"
                    + " with --gpus all and NVIDIA_DRIVER_CAPABILITIES containing compute";

    private DriverLibrary() {}

    /**
     * Opens the library.
     *
     * @param file a SONAME, or a path with a slash in it
     * @return its symbols
     * @throws CudaUnavailableException if it cannot be opened
     */
    static SymbolLookup open(String file) {
        try {
            return file.contains("/")
                    ? SymbolLookup.libraryLookup(Path.of(file), Arena.global())
                    : SymbolLookup.libraryLookup(file, Arena.global());
        } catch (IllegalCallerException e) {
            throw new CudaUnavailableException(
                    Reason.NATIVE_ACCESS_DENIED,
                    e.getMessage(),
                    "start the JVM with --enable-native-access=io.github.rdma4j.cuda (on the class path: ALL-UNNAMED)");
        } catch (IllegalArgumentException e) {
            throw new CudaUnavailableException(
                    Reason.NO_DRIVER, DynamicLoader.message(Linker.nativeLinker()::downcallHandle, file), REMEDY);
        }
    }
}
