// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage.internal;

import io.github.rdma4j.gpudirect.internal.NativeAccess;
import io.github.rdma4j.gpudirect.storage.CuFileUnavailableException;
import io.github.rdma4j.gpudirect.storage.CuFileUnavailableException.Reason;
import io.github.rdma4j.gpudirect.storage.bindings.CUfileError;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * {@code libcufile.so.0}, opened on first use, and the handles of its functions. If it is missing, the caller uses
 * another path.
 *
 * <p>Pointers are passed as {@code long}. So is {@code CUfileError_t}, which the functions return by value: on x86-64
 * and on aarch64, its two ints of 4 bytes are returned in one register, the status in the lower half and the driver's
 * result in the upper half. A segment for each result would allocate in each call.
 */
public final class CuFileLibrary {
    /** Names a library file to use instead of the system's; tests select their stand-in with it. */
    public static final String PROPERTY = "io.github.rdma4j.cufile.library";

    private static final String SONAME = "libcufile.so.0";
    private static final String REMEDY =
            "install cuFile of the CUDA toolkit (packages gds-tools or libcufile-<version> of NVIDIA's repositories;"
                    + " Debian: libcufile0, from non-free) or name the file with -D" + PROPERTY + "=FILE";
    private static final Linker LINKER = Linker.nativeLinker();
    private static final Map<String, CuFileLibrary> OPENED = new ConcurrentHashMap<>();

    private final SymbolLookup symbols;
    private final String file;

    private CuFileLibrary(SymbolLookup symbols, String file) {
        this.symbols = symbols;
        this.file = file;
    }

    /**
     * Returns the library. After a failure, the next call tries again.
     *
     * @return the open library
     * @throws CuFileUnavailableException if it cannot be opened
     */
    public static CuFileLibrary require() {
        return OPENED.computeIfAbsent(System.getProperty(PROPERTY, SONAME), CuFileLibrary::open);
    }

    private static CuFileLibrary open(String file) {
        try {
            return new CuFileLibrary(NativeAccess.open(file), file);
        } catch (IllegalCallerException e) {
            throw new CuFileUnavailableException(Reason.NATIVE_ACCESS_DENIED, e.getMessage(), NativeAccess.REMEDY);
        } catch (IllegalArgumentException e) {
            throw new CuFileUnavailableException(Reason.NO_LIBRARY, e.getMessage(), REMEDY);
        }
    }

    /** {@return the file that it was opened from} */
    public String file() {
        return file;
    }

    /**
     * Returns a handle of a function. All its pointers are of type {@code long}, and so is {@code CUfileError_t}.
     *
     * @param name such as {@code cuFileRead}
     * @param descriptor the descriptor from jextract
     * @param options of the linker
     * @return empty if this library is too old
     */
    Optional<MethodHandle> find(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        Optional<MemorySegment> address = symbols.find(name);
        return address.map(function -> LINKER.downcallHandle(function, flat(descriptor), options));
    }

    private static FunctionDescriptor flat(FunctionDescriptor descriptor) {
        MemoryLayout[] arguments = descriptor.argumentLayouts().stream()
                .map(each -> each instanceof AddressLayout ? ValueLayout.JAVA_LONG : each)
                .toArray(MemoryLayout[]::new);
        return descriptor
                .returnLayout()
                .map(result -> FunctionDescriptor.of(
                        result.byteSize() == CUfileError.sizeof() ? ValueLayout.JAVA_LONG : result, arguments))
                .orElseGet(() -> FunctionDescriptor.ofVoid(arguments));
    }
}
