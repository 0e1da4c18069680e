// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl.internal;

import io.github.rdma4j.gpudirect.internal.NativeAccess;
import io.github.rdma4j.gpudirect.nccl.NcclUnavailableException;
import io.github.rdma4j.gpudirect.nccl.NcclUnavailableException.Reason;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * {@code libnccl.so.2}, opened on first use, and the handles of its functions. Pointers are passed as {@code long}.
 */
final class NcclLibrary {
    static final String SONAME = "libnccl.so.2";
    private static final Linker LINKER = Linker.nativeLinker();

    private final SymbolLookup symbols;
    private final String file;

    private NcclLibrary(SymbolLookup symbols, String file) {
        this.symbols = symbols;
        this.file = file;
    }

    static NcclLibrary open(String file) {
        try {
            return new NcclLibrary(NativeAccess.open(file), file);
        } catch (IllegalCallerException e) {
            throw new NcclUnavailableException(Reason.NATIVE_ACCESS_DENIED, e.getMessage(), NativeAccess.REMEDY);
        } catch (IllegalArgumentException e) {
            throw new NcclUnavailableException(
                    Reason.NO_LIBRARY,
                    e.getMessage(),
                    "install NCCL (package libnccl2 of NVIDIA's repositories, or of Debian's non-free; NVIDIA's wheel"
                            + " nvidia-nccl-cu13 also has it) or name the file with -D" + NcclCalls.PROPERTY + "=FILE");
        }
    }

    String file() {
        return file;
    }

    /**
     * Returns a handle of a function, with pointers of type {@code long}; null if the library does not have the
     * function.
     */
    MethodHandle find(NcclFunction function) {
        return symbols.find(function.symbol())
                .map(address -> LINKER.downcallHandle(address, flat(function.descriptor())))
                .orElse(null);
    }

    private static FunctionDescriptor flat(FunctionDescriptor descriptor) {
        MemoryLayout[] arguments =
                descriptor.argumentLayouts().stream().map(NcclLibrary::flat).toArray(MemoryLayout[]::new);
        return FunctionDescriptor.of(flat(descriptor.returnLayout().orElseThrow()), arguments);
    }

    private static MemoryLayout flat(MemoryLayout layout) {
        return layout instanceof AddressLayout ? ValueLayout.JAVA_LONG : layout;
    }
}
