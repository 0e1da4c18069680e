// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.cuda.CudaUnavailableException;
import io.github.rdma4j.cuda.CudaUnavailableException.Reason;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/** Opens the driver's library. If that fails, reports the dynamic loader's own message. */
final class DriverLibrary {
    private static final int RTLD_NOW = 2;
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
            throw new CudaUnavailableException(Reason.NO_DRIVER, loaderMessage(file), REMEDY);
        }
    }

    /**
     * Returns the loader's message, which the JDK hides: only the message distinguishes a missing file from a missing
     * dependency.
     */
    private static String loaderMessage(String file) {
        Linker linker = Linker.nativeLinker();
        SymbolLookup libc = linker.defaultLookup();
        // Creates both handles first: looking up a symbol also calls the dynamic loader, which would clear its error.
        MethodHandle dlopen = linker.downcallHandle(
                libc.findOrThrow("dlopen"),
                FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
        MethodHandle dlerror =
                linker.downcallHandle(libc.findOrThrow("dlerror"), FunctionDescriptor.of(ValueLayout.ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = (MemorySegment) dlopen.invokeExact(arena.allocateFrom(file), RTLD_NOW);
            MemorySegment message = (MemorySegment) dlerror.invokeExact();
            if (handle.address() != 0 || message.address() == 0) {
                return file + " cannot be opened";
            }
            return message.reinterpret(4096).getString(0);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }
}
