// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.cuda.CudaUnavailableException;
import io.github.rdma4j.cuda.UnsupportedCudaCallException;
import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.bindings.PFN_cuCtxGetCurrent_v4000;
import io.github.rdma4j.cuda.bindings.PFN_cuCtxSetCurrent_v4000;
import io.github.rdma4j.cuda.bindings.PFN_cuDriverGetVersion_v2020;
import io.github.rdma4j.cuda.bindings.PFN_cuGetProcAddress_v11030;
import io.github.rdma4j.cuda.bindings.PFN_cuInit_v2000;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;

/**
 * The user-mode driver, opened and initialized on first use, and the handles of its functions. A function is looked up
 * by its name and the version of CUDA that introduced this form ({@code cuGetProcAddress}). A function that the
 * installed driver lacks fails only when it is called, and does not affect other functions.
 *
 * <p>Pointers and handles are passed as {@code long}: a segment of a closeable arena would be acquired and released
 * around each call.
 */
public final class Driver {
    private static final Linker LINKER = Linker.nativeLinker();
    /** Names a library file to use instead of the system's driver; tests select their stand-in with it. */
    private static final String LIBRARY_PROPERTY = "io.github.rdma4j.cuda.library";

    private static final String SONAME = "libcuda.so.1";
    private static volatile Driver instance;

    private final MethodHandle getProcAddress;
    private final int version;

    private Driver(MethodHandle getProcAddress, int version) {
        this.getProcAddress = getProcAddress;
        this.version = version;
    }

    /**
     * Returns the driver. After a failure, the next call tries again.
     *
     * @return the open and initialized driver
     * @throws CudaUnavailableException if no driver can be used
     */
    public static Driver require() {
        Driver driver = instance;
        return driver != null ? driver : open();
    }

    private static synchronized Driver open() {
        if (instance == null) {
            requirePlatform(System.getProperty("os.name"), System.getProperty("os.arch"));
            String file = System.getProperty(LIBRARY_PROPERTY, SONAME);
            SymbolLookup library = DriverLibrary.open(file);
            int version = version(library, file);
            Driver driver = new Driver(
                    downcall(library, "cuGetProcAddress", PFN_cuGetProcAddress_v11030.descriptor(), version), version);
            driver.initialise(library);
            if (DriverTrace.ON) {
                DriverTrace.keepContext(
                        driver.find("cuCtxGetCurrent", 4000, PFN_cuCtxGetCurrent_v4000.descriptor()),
                        driver.find("cuCtxSetCurrent", 4000, PFN_cuCtxSetCurrent_v4000.descriptor()));
            }
            instance = driver;
        }
        return instance;
    }

    static void requirePlatform(String os, String architecture) {
        if (!os.equals("Linux") || !List.of("amd64", "x86_64", "aarch64").contains(architecture)) {
            throw new CudaUnavailableException(
                    CudaUnavailableException.Reason.PLATFORM,
                    "rdma4j's CUDA bindings support Linux on x86-64 and aarch64, but this is %s on %s"
                            .formatted(os, architecture),
                    "");
        }
    }

    private static MethodHandle downcall(
            SymbolLookup library, String symbol, FunctionDescriptor descriptor, int version) {
        MemorySegment address = library.find(symbol)
                .orElseThrow(() -> new CudaUnavailableException(
                        CudaUnavailableException.Reason.DRIVER_TOO_OLD,
                        "the installed driver (CUDA %s) has no %s".formatted(versionText(version), symbol),
                        "install an NVIDIA driver of CUDA 11.3 or later (465.19, better 525 or later)"));
        return traced(symbol, LINKER.downcallHandle(address, withAddressesAsLong(descriptor)), descriptor);
    }

    private static MethodHandle traced(String name, MethodHandle handle, FunctionDescriptor descriptor) {
        return DriverTrace.ON ? DriverTrace.traced(name, handle, descriptor) : handle;
    }

    /** Calls one of the two functions that are looked up by symbol, besides the function that looks up the others. */
    private static int version(SymbolLookup library, String file) {
        if (library.find("cuDriverGetVersion").isEmpty()) {
            throw new CudaUnavailableException(
                    CudaUnavailableException.Reason.NO_DRIVER,
                    "'%s' is not NVIDIA's driver: it has no cuDriverGetVersion".formatted(file),
                    "leave the system property %s unset, and check which libcuda.so.1 LD_LIBRARY_PATH finds"
                            .formatted(LIBRARY_PROPERTY));
        }
        MethodHandle getVersion = downcall(library, "cuDriverGetVersion", PFN_cuDriverGetVersion_v2020.descriptor(), 0);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment version = arena.allocate(ValueLayout.JAVA_INT);
            int result = (int) getVersion.invokeExact(version.address());
            if (result != CudaHeaders.CUDA_SUCCESS()) {
                throw InitialisationFailures.of("cuDriverGetVersion()", result);
            }
            return version.get(ValueLayout.JAVA_INT, 0);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private void initialise(SymbolLookup library) {
        MethodHandle init = downcall(library, "cuInit", PFN_cuInit_v2000.descriptor(), version);
        int result;
        try {
            result = (int) init.invokeExact(0);
        } catch (Throwable e) {
            throw unexpected(e);
        }
        if (result != CudaHeaders.CUDA_SUCCESS()) {
            throw InitialisationFailures.of("cuInit(0)", result);
        }
    }

    /** {@return the CUDA version of the driver: 1000 times the major plus 10 times the minor number} */
    public int version() {
        return version;
    }

    /**
     * Formats a version.
     *
     * @param version such as 12040
     * @return such as 12.4
     */
    public static String versionText(int version) {
        return version / 1000 + "." + version % 1000 / 10;
    }

    /**
     * Returns a handle of a function. All its pointers are of type {@code long}.
     *
     * @param name without a version suffix, such as {@code cuMemAlloc}
     * @param since the version of CUDA that introduced the function in the form of the descriptor, such as 3020
     * @param descriptor the descriptor from jextract
     * @return the handle; it throws {@link UnsupportedCudaCallException} if this driver does not have the function
     */
    static MethodHandle function(String name, int since, FunctionDescriptor descriptor) {
        return traced(name, require().find(name, since, withAddressesAsLong(descriptor)), descriptor);
    }

    /** Returns a handle of a function whose pointers are segments: a call keeps their arenas open. */
    static MethodHandle functionWithSegments(String name, int since, FunctionDescriptor descriptor) {
        return traced(name, require().find(name, since, descriptor), descriptor);
    }

    private MethodHandle find(String name, int since, FunctionDescriptor descriptor) {
        long address = address(name, since);
        return address == 0
                ? missing(name, since, descriptor.toMethodType())
                : LINKER.downcallHandle(MemorySegment.ofAddress(address), descriptor);
    }

    /** Returns 0 if this driver does not have the function. */
    private long address(String name, int since) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment function = arena.allocate(ValueLayout.JAVA_LONG);
            int result =
                    (int) getProcAddress.invokeExact(arena.allocateFrom(name).address(), function.address(), since, 0L);
            return result == CudaHeaders.CUDA_SUCCESS() ? function.get(ValueLayout.JAVA_LONG, 0) : 0;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Whether this driver has a function. */
    static boolean has(String name, int since) {
        return require().address(name, since) != 0;
    }

    private MethodHandle missing(String name, int since, MethodType type) {
        try {
            MethodHandle make = MethodHandles.lookup()
                    .findConstructor(
                            UnsupportedCudaCallException.class,
                            MethodType.methodType(void.class, String.class, int.class, int.class));
            MethodHandle thrower = MethodHandles.foldArguments(
                    MethodHandles.throwException(type.returnType(), UnsupportedCudaCallException.class),
                    MethodHandles.insertArguments(make, 0, name, since, version));
            return MethodHandles.dropArguments(thrower, 0, type.parameterList());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static FunctionDescriptor withAddressesAsLong(FunctionDescriptor descriptor) {
        List<MemoryLayout> arguments = new ArrayList<>();
        for (MemoryLayout argument : descriptor.argumentLayouts()) {
            arguments.add(argument instanceof AddressLayout ? ValueLayout.JAVA_LONG : argument);
        }
        return FunctionDescriptor.of(descriptor.returnLayout().orElseThrow(), arguments.toArray(new MemoryLayout[0]));
    }

    /**
     * Used in the catch clause around a downcall, which declares Throwable.
     *
     * @param e the exception that was thrown
     * @return the exception to throw; errors and runtime exceptions are thrown at once
     */
    public static AssertionError unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        if (e instanceof RuntimeException exception) {
            throw exception;
        }
        return new AssertionError("a downcall cannot throw this", e);
    }
}
