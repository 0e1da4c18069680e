// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.base.DynamicLoader;
import io.github.rdma4j.verbs.NativeLibraryException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;

/**
 * Checks native libraries early, and reports a missing library with its package. The generated bindings open their
 * library in a class initialiser, whose failure is an ExceptionInInitializerError the first time and a
 * NoClassDefFoundError forever after. So every path to the bindings calls this class first.
 */
public final class NativeLibraries {
    private static final String REMEDY =
            "install rdma-core's run-time libraries (Debian, Ubuntu: apt-get install %s; Fedora,"
                    + " RHEL: dnf install %s)";
    /** The SONAME of libibverbs. */
    static final String VERBS = "libibverbs.so.1";
    /** The SONAME of librdmacm. */
    static final String CONNECTION_MANAGER = "librdmacm.so.1";

    private static final List<String> ARCHITECTURES = List.of("amd64", "x86_64", "aarch64");

    /** The symbols of the API that old versions lack; all are there since rdma-core 32. */
    private static final List<String> NEWEST_VERBS = List.of("ibv_reg_mr_iova2", "_ibv_query_gid_table");

    private static final List<String> NEWEST_CONNECTION_MANAGER = List.of("rdma_init_qp_attr", "rdma_reject_ece");

    private static volatile boolean verbsFound;
    private static volatile boolean connectionManagerFound;
    private static volatile boolean systemFound;

    private NativeLibraries() {}

    /**
     * Returns if libibverbs can be used. A failed attempt is repeated by the next call, so installing the library helps
     * at once.
     *
     * @throws NativeLibraryException if not
     */
    public static void requireVerbs() {
        if (!verbsFound) {
            requirePlatform();
            require(VERBS, "libibverbs1 ibverbs-providers", "libibverbs", NEWEST_VERBS);
            verbsFound = true;
        }
    }

    /**
     * Returns if functions of the C library can be called, which is all that endpoints over TCP need. Called before a
     * class that keeps their handles is first used, because its initializer would fail with an error without a remedy.
     *
     * @throws NativeLibraryException if not
     */
    public static void requireSystem() {
        if (systemFound) {
            return;
        }
        requirePlatform();
        try {
            NativeCalls.systemHandle("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        } catch (IllegalCallerException e) {
            throw notAllowed("libc.so.6", e);
        }
        systemFound = true;
    }

    private static NativeLibraryException notAllowed(String soname, IllegalCallerException denial) {
        return new NativeLibraryException(
                soname,
                denial.getMessage(),
                "start the JVM with --enable-native-access=io.github.rdma4j.verbs (on the class path: ALL-UNNAMED)");
    }

    /**
     * Finds a function of a library that {@link #requireVerbs()} or {@link #requireConnectionManager()} has checked.
     *
     * @param soname {@link #VERBS} or {@link #CONNECTION_MANAGER}
     * @param symbol its name
     * @return its address; empty if the installed library does not have it
     */
    static Optional<MemorySegment> find(String soname, String symbol) {
        Optional<MemorySegment> found =
                SymbolLookup.libraryLookup(soname, Arena.global()).find(symbol);
        if (NativeTrace.ON) {
            found.ifPresent(address -> NativeTrace.learnSymbol(symbol, address));
        }
        return found;
    }

    /**
     * Returns if librdmacm can be used, as {@link #requireVerbs()} does for libibverbs.
     *
     * @throws NativeLibraryException if not
     */
    public static void requireConnectionManager() {
        if (!connectionManagerFound) {
            requirePlatform();
            require(CONNECTION_MANAGER, "librdmacm1 ibverbs-providers", "librdmacm", NEWEST_CONNECTION_MANAGER);
            connectionManagerFound = true;
        }
    }

    /**
     * Returns if the layouts of the bindings have been compared with this machine's C compiler: elsewhere
     * {@code pthread_mutex_t} can have another size, and every field after one would be read from the wrong offset.
     *
     * @param os as in the system property {@code os.name}
     * @param architecture as in {@code os.arch}
     * @param glibc whether the C library is glibc; musl's {@code pthread_mutex_t} differs on aarch64
     * @throws NativeLibraryException if they have not
     */
    static void requirePlatform(String os, String architecture, boolean glibc) {
        if (!os.equals("Linux") || !ARCHITECTURES.contains(architecture)) {
            throw new NativeLibraryException(
                    VERBS,
                    "rdma4j's bindings are for Linux on x86-64 and aarch64, and this is %s on %s"
                            .formatted(os, architecture),
                    "run it on such a machine, or in a virtual one");
        }
        if (architecture.equals("aarch64") && !glibc) {
            throw new NativeLibraryException(
                    VERBS,
                    "on aarch64 rdma4j's bindings are for glibc, and this JVM runs on another C library",
                    "use a distribution with glibc, as Debian, Ubuntu, Fedora or RHEL, and a JDK built for it");
        }
    }

    private static void requirePlatform() {
        requirePlatform(
                System.getProperty("os.name"),
                System.getProperty("os.arch"),
                Linker.nativeLinker()
                        .defaultLookup()
                        .find("gnu_get_libc_version")
                        .isPresent());
    }

    /**
     * Returns if the library can be opened.
     *
     * @param soname the SONAME, such as {@code libibverbs.so.1}
     * @param debianPackages the package for Debian
     * @param fedoraPackage the package for Fedora
     * @param symbols the symbols that it must export
     * @throws NativeLibraryException if not
     */
    static void require(String soname, String debianPackages, String fedoraPackage, List<String> symbols) {
        try {
            SymbolLookup library = SymbolLookup.libraryLookup(soname, Arena.global());
            for (String symbol : symbols) {
                if (library.find(symbol).isEmpty()) {
                    throw new NativeLibraryException(
                            soname, "it is too old: it has no " + symbol, "install rdma-core 32 or later");
                }
            }
        } catch (IllegalCallerException e) {
            throw notAllowed(soname, e);
        } catch (IllegalArgumentException e) {
            throw new NativeLibraryException(
                    soname,
                    DynamicLoader.message(Linker.nativeLinker()::downcallHandle, soname),
                    REMEDY.formatted(debianPackages, fedoraPackage));
        }
    }
}
