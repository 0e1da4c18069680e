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
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * {@code libnvidia-ml.so.1} (NVML), which comes with NVIDIA's driver. It is opened on first use and stays open. A
 * missing library is not an error, because its data is optional.
 *
 * <p>Thread safety: all methods may be called from any thread, as NVML's own.
 */
public final class NvmlLibrary {
    /** Names another file than the system's library; what the tests' stand-in is chosen by. */
    public static final String PROPERTY = "io.github.rdma4j.nvml.library";

    private static final String SONAME = "libnvidia-ml.so.1";
    private static final Linker LINKER = Linker.nativeLinker();
    private static final FunctionDescriptor NOTHING = FunctionDescriptor.of(ValueLayout.JAVA_INT);
    /** Pointers travel as {@code long}: a name or a handle, and where the answer goes. */
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
     * The window on a GPU's memory (BAR1), in bytes, as {@code nvmlBAR1Memory_t} has it.
     *
     * @param total all of it
     * @param free what nobody uses
     * @param used by all processes and the driver
     */
    public record Window(long total, long free, long used) {}

    /** NVML does not answer. Its message says why, and what to do. */
    public static final class NoAnswerException extends Exception {
        private static final long serialVersionUID = 1L;

        NoAnswerException(String why) {
            super(why);
        }
    }

    private NvmlLibrary(SymbolLookup symbols) throws NoAnswerException {
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
            throws NoAnswerException {
        MemorySegment address = symbols.find(name)
                .orElseThrow(() -> new NoAnswerException("the driver's NVML is too old: it has no " + name));
        return LINKER.downcallHandle(address, descriptor);
    }

    /** The library; a failed attempt is repeated by the next call. */
    private static NvmlLibrary require() throws NoAnswerException {
        String file = System.getProperty(PROPERTY, SONAME);
        NvmlLibrary library = OPENED.get(file);
        if (library == null) {
            library = new NvmlLibrary(open(file));
            OPENED.put(file, library);
        }
        return library;
    }

    private static SymbolLookup open(String file) throws NoAnswerException {
        try {
            return file.contains("/")
                    ? SymbolLookup.libraryLookup(Path.of(file), Arena.global())
                    : SymbolLookup.libraryLookup(file, Arena.global());
        } catch (IllegalCallerException e) {
            throw new NoAnswerException(
                    "%s; start the JVM with --enable-native-access=io.github.rdma4j.cuda,io.github.rdma4j.gpudirect"
                                    .formatted(e.getMessage())
                            + " (on the class path: ALL-UNNAMED)");
        } catch (IllegalArgumentException e) {
            throw new NoAnswerException(("%s cannot be opened; it comes with NVIDIA's driver (Debian: libnvidia-ml1; in"
                            + " containers NVIDIA_DRIVER_CAPABILITIES has utility)")
                    .formatted(file));
        }
    }

    /**
     * The window of a GPU, as it is now.
     *
     * @param pciAddress such as {@code 0000:17:00.0}
     * @return the answer of NVML
     * @throws NoAnswerException if NVML has no answer
     */
    public static Window window(String pciAddress) throws NoAnswerException {
        return require().ask(pciAddress);
    }

    private Window ask(String pciAddress) throws NoAnswerException {
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

    private void require(int result, String call) throws NoAnswerException {
        if (result == SUCCESS) {
            return;
        }
        MemorySegment text;
        try {
            text = (MemorySegment) words.invokeExact(result);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        throw new NoAnswerException("%s gives %d%s"
                .formatted(
                        call,
                        result,
                        text.address() == 0
                                ? ""
                                : ", " + text.reinterpret(LONGEST_WORDS).getString(0)));
    }
}
