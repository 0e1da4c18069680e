// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Controls the stand-in for libcuda: the simulated machine, the calls that fail, and the count of open objects. There
 * is one for the whole JVM; {@code @ExtendWith(StandInDriver.class)} selects it before the class and resets it before
 * and after each test. {@code cuda-ffm/src/test/c/standin/README.md} describes the settings.
 */
public final class StandInDriver implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback {
    /** The system property by which cuda-ffm opens another library than {@code libcuda.so.1}. */
    public static final String PROPERTY = "io.github.rdma4j.cuda.library";

    /** How device memory is exported. */
    public enum DmaBufWay {
        /** No export: the device's attribute is 0, and the export is refused. */
        REFUSED("0"),
        /** By /dev/udmabuf where that is, else as {@link #MEMFD}. */
        AUTO("auto"),
        /** By /dev/udmabuf; refused where that is not. */
        UDMABUF("udmabuf"),
        /** As a file, which no adapter takes for a dma-buf. */
        MEMFD("memfd");

        private final String word;

        DmaBufWay(String word) {
            this.word = word;
        }
    }

    private static final String[] OPEN = {
        "allocations",
        "allocations.host",
        "registrations",
        "reservations",
        "handles",
        "streams",
        "events",
        "contexts",
        "modules",
        "graphs"
    };

    @Override
    public void beforeAll(ExtensionContext context) {
        use();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        reset();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        reset();
    }

    /** Makes cuda-ffm open the stand-in. Of no effect once cuda-ffm has opened a library, so it comes first. */
    public static void use() {
        System.setProperty(PROPERTY, library().toString());
    }

    /** The library's file, compiled if it is not there. */
    public static Path library() {
        return Library.FILE;
    }

    /** The option by which another JVM uses the stand-in. */
    public static String jvmOption() {
        return "-D" + PROPERTY + "=" + library();
    }

    /** Closes and frees everything, and takes back all settings. Handles that were opened before must not be used. */
    public static void reset() {
        try {
            Library.RESET.invokeExact();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** A setting by its name; a wrong one fails the test. */
    public static void set(String key, String value) {
        int result;
        try (Arena arena = Arena.ofConfined()) {
            result = (int) Library.SET.invokeExact(arena.allocateFrom(key), arena.allocateFrom(value));
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        if (result != 0) {
            throw new AssertionError("the stand-in has no setting " + key + "=" + value);
        }
    }

    private static void set(String key, long value) {
        set(key, Long.toString(value));
    }

    /** A counter by its name; a wrong one fails the test. */
    public static long get(String counter) {
        long result;
        try (Arena arena = Arena.ofConfined()) {
            result = (long) Library.GET.invokeExact(arena.allocateFrom(counter));
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        if (result < 0) {
            throw new AssertionError("the stand-in has no counter " + counter);
        }
        return result;
    }

    /** How many devices there are, 0 to 16; with 0 the driver does not start. */
    public static void devices(int count) {
        set("devices", count);
    }

    /** The driver's version, such as 12040: functions that came later are not found. */
    public static void driverVersion(int version) {
        set("driver", version);
    }

    /** The memory of each device, in bytes. */
    public static void memory(long bytes) {
        set("memory", bytes);
    }

    /** The compute capability of all devices, such as 80. */
    public static void capability(int capability) {
        set("capability", capability);
    }

    /** An attribute of all devices, by its number in cuda.h. */
    public static void attribute(int attribute, int value) {
        set("attribute." + attribute, value);
    }

    /** An attribute of one device. */
    public static void attribute(int device, int attribute, int value) {
        set("attribute." + attribute + "." + device, value);
    }

    /** A device's place on the bus, such as {@code 0000:17:00.0}. */
    public static void pciAddress(int device, String address) {
        set("pci." + device, address);
    }

    /**
     * Whether an adapter can register device memory by its address; else that fails with EFAULT, and the host cannot
     * read it.
     */
    public static void peerMemory(boolean available) {
        set("peermem", available ? 1 : 0);
    }

    /** How device memory is exported. */
    public static void dmaBuf(DmaBufWay way) {
        set("dmabuf", way.word);
    }

    /** Each copy and fill takes at least this long; data moves at the end of it. */
    public static void copyDelay(long microseconds, long microsecondsPerMib) {
        set("copy-delay-us", microseconds);
        set("copy-delay-us-per-mib", microsecondsPerMib);
    }

    /** Copies and fills move nothing, and do not end, until they are let go. */
    public static void holdCopies() {
        set("hold", 1);
    }

    /** Copies and fills go on. */
    public static void letCopiesGo() {
        set("hold", 0);
    }

    /** A call is counted, and does not go on until another one is named, or none. */
    public static void block(String call) {
        set("block", call);
    }

    /** Makes streams do their work before the call returns, so that a program makes the same calls each time. */
    public static void doAtOnce() {
        set("at-once", 1);
    }

    /** From now on the call is answered with CUDA_ERROR_NOT_SUPPORTED. */
    public static void deny(String call) {
        set("deny", call);
    }

    /** The driver does not have the function; for those who have not looked it up yet. */
    public static void missing(String call) {
        set("missing", call);
    }

    /** The call fails at its n-th time from now on, counted from 1, once. {@code *} is any call. */
    public static void failAt(String call, int n, int code) {
        set("fail", call + ":" + n + ":" + code);
    }

    /** The call fails from its n-th time from now on. With {@code *} the driver disappears. */
    public static void failFrom(String call, int n, int code) {
        set("fail", call + ":" + n + "+:" + code);
    }

    /** Adds a second failure: the n-th call after a failed one, in this library or in a stand-in on top of it. */
    public static void thenFailAt(String call, int n, int code) {
        set("then", call + ":" + n + ":" + code);
    }

    /** Whether a failure still waits for its call. */
    public static boolean isPending() {
        return get("pending") > 0;
    }

    /**
     * The call succeeds, and what it put into the stream fails when its turn comes; its context is broken from then on.
     */
    public static void faultAt(String call, int n, int code) {
        set("fault", call + ":" + n + ":" + code);
    }

    /** Takes back what was set to fail. */
    public static void noFailures() {
        set("no-failures", 1);
    }

    /** How often a function was called since the reset. */
    public static long calls(String call) {
        return get("calls." + call);
    }

    /** Returns the open objects: the names of the counters that are not 0, with their values. */
    public static Map<String, Long> open() {
        Map<String, Long> open = new TreeMap<>();
        for (String counter : OPEN) {
            long value = get(counter);
            if (value != 0) {
                open.put(counter, value);
            }
        }
        return open;
    }

    /** Not loaded before a test asks for it. */
    private static final class Library {
        static final Path FILE = StandInBuild.library();
        static final MethodHandle SET;
        static final MethodHandle GET;
        static final MethodHandle RESET;

        static {
            SymbolLookup symbols = SymbolLookup.libraryLookup(FILE, Arena.global());
            Linker linker = Linker.nativeLinker();
            SET = linker.downcallHandle(
                    symbols.findOrThrow("standin_set"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
            GET = linker.downcallHandle(
                    symbols.findOrThrow("standin_get"),
                    FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
            RESET = linker.downcallHandle(symbols.findOrThrow("standin_reset"), FunctionDescriptor.ofVoid());
        }
    }
}
