// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * {@code libnvidia-ml.so.1} (NVML), which comes with NVIDIA's driver. It is opened on first use and stays open. A
 * missing library is not an error, because its data is optional.
 *
 * <p>Thread safety: all methods may be called from any thread, as NVML's own functions.
 */
public final class NvmlLibrary {
    /** Names a library file to use instead of the system's; tests select their stand-in with it. */
    public static final String PROPERTY = "io.github.rdma4j.nvml.library";

    private static final String SONAME = "libnvidia-ml.so.1";
    private static final Linker LINKER = Linker.nativeLinker();
    private static final FunctionDescriptor NOTHING = FunctionDescriptor.of(ValueLayout.JAVA_INT);
    /** The parameters are two pointers, passed as {@code long}: a name or a handle, and the address of the result. */
    private static final FunctionDescriptor TWO_POINTERS =
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);

    private static final FunctionDescriptor WORDS = FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
    private static final long LONGEST_WORDS = 256;
    private static final int SUCCESS = 0;
    private static final int FIELDS_OF_A_WINDOW = 3;

    private static final Map<String, NvmlLibrary> OPENED = new ConcurrentHashMap<>();

    private final MethodHandle handleByAddress;
    private final MethodHandle window;
    private final MethodHandle words;

    /**
     * The window on a GPU's memory (BAR1), in bytes, as in {@code nvmlBAR1Memory_t}.
     *
     * @param total its size
     * @param free bytes that are not in use
     * @param used bytes in use by all processes and the driver
     */
    public record Window(long total, long free, long used) {}

    /** NVML cannot be used, or refused a query. The message contains the reason and the remedy. */
    public static final class NvmlException extends Exception {
        private static final long serialVersionUID = 1L;

        NvmlException(String why) {
            super(why);
        }
    }

    private NvmlLibrary(SymbolLookup symbols) throws NvmlException {
        words = find(symbols, "nvmlErrorString", WORDS);
        handleByAddress = find(symbols, "nvmlDeviceGetHandleByPciBusId_v2", TWO_POINTERS);
        window = find(symbols, "nvmlDeviceGetBAR1MemoryInfo", TWO_POINTERS);
        MethodHandle start = find(symbols, "nvmlInit_v2", NOTHING);
        int result;
        try {
            result = (int) start.invokeExact();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        require(result, "nvmlInit_v2()");
    }

    private static MethodHandle find(SymbolLookup symbols, String name, FunctionDescriptor descriptor)
            throws NvmlException {
        MemorySegment address = symbols.find(name)
                .orElseThrow(() -> new NvmlException("the driver's NVML is too old: it has no " + name));
        return LINKER.downcallHandle(address, descriptor);
    }

    /** Returns the library. After a failure, the next call tries again. */
    private static NvmlLibrary require() throws NvmlException {
        String file = System.getProperty(PROPERTY, SONAME);
        NvmlLibrary library = OPENED.get(file);
        if (library == null) {
            library = new NvmlLibrary(open(file));
            OPENED.put(file, library);
        }
        return library;
    }

    private static SymbolLookup open(String file) throws NvmlException {
        try {
            return NativeAccess.open(file);
        } catch (IllegalCallerException e) {
            throw new NvmlException(e.getMessage() + "; " + NativeAccess.REMEDY);
        } catch (IllegalArgumentException e) {
            throw new NvmlException(e.getMessage()
                    + "; it comes with NVIDIA's driver (Debian: libnvidia-ml1; in containers"
                    + " NVIDIA_DRIVER_CAPABILITIES has utility)");
        }
    }

    /**
     * Returns the current window of a GPU.
     *
     * @param pciAddress such as {@code 0000:17:00.0}
     * @return the window
     * @throws NvmlException if NVML cannot be used or refuses the query
     */
    public static Window window(String pciAddress) throws NvmlException {
        return require().query(pciAddress);
    }

    private Window query(String pciAddress) throws NvmlException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(pciAddress);
            MemorySegment answer = arena.allocate(ValueLayout.JAVA_LONG, FIELDS_OF_A_WINDOW);
            require(
                    call(handleByAddress, name.address(), answer.address()),
                    "nvmlDeviceGetHandleByPciBusId_v2(" + pciAddress + ")");
            long device = answer.get(ValueLayout.JAVA_LONG, 0);
            require(call(window, device, answer.address()), "nvmlDeviceGetBAR1MemoryInfo(" + pciAddress + ")");
            return new Window(
                    answer.getAtIndex(ValueLayout.JAVA_LONG, 0),
                    answer.getAtIndex(ValueLayout.JAVA_LONG, 1),
                    answer.getAtIndex(ValueLayout.JAVA_LONG, 2));
        }
    }

    private static int call(MethodHandle function, long first, long second) {
        try {
            return (int) function.invokeExact(first, second);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private void require(int result, String call) throws NvmlException {
        if (result == SUCCESS) {
            return;
        }
        MemorySegment text;
        try {
            text = (MemorySegment) words.invokeExact(result);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        throw new NvmlException("%s returned %d%s"
                .formatted(
                        call,
                        result,
                        text.address() == 0
                                ? ""
                                : ", " + text.reinterpret(LONGEST_WORDS).getString(0)));
    }
}
