// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.StandInBuild;
import io.github.rdma4j.cuda.StandInDriver;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Controls a compiled and loaded stand-in of {@code gpudirect/src/test/c}: the calls that fail, and the counts of open
 * objects. It works on the stand-in for CUDA's driver.
 */
public final class StandInLibrary {
    private static final Linker LINKER = Linker.nativeLinker();

    private final Path file;
    private final MethodHandle set;
    private final MethodHandle get;
    private final MethodHandle reset;

    /**
     * Compiles it, if it is not there, and loads it.
     *
     * @param name as its folder and its functions have it, such as {@code nccl}
     * @param without functions that it does not have, as an older library
     */
    public StandInLibrary(String name, String... without) {
        Path sources = StandInBuild.source()
                .resolve("../../../../../gpudirect/src/test/c")
                .normalize();
        file = StandInBuild.library(
                List.of(sources.resolve(name + "-standin"), sources.resolve("standin")),
                sources.resolve("../../../target/standin").normalize(),
                "lib" + name,
                without);
        SymbolLookup symbols = SymbolLookup.libraryLookup(file, Arena.global());
        set = LINKER.downcallHandle(
                symbols.findOrThrow("standin_" + name + "_set"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
        get = LINKER.downcallHandle(
                symbols.findOrThrow("standin_" + name + "_get"),
                FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
        reset = LINKER.downcallHandle(symbols.findOrThrow("standin_" + name + "_reset"), FunctionDescriptor.ofVoid());
        set("cuda", StandInDriver.library());
    }

    /** Its file. */
    public Path file() {
        return file;
    }

    /** Closes and takes back everything. */
    public void reset() {
        try {
            reset.invokeExact();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** A setting by its name; a wrong one fails the test. */
    public void set(String key, Object value) {
        int result;
        try (Arena arena = Arena.ofConfined()) {
            result = (int) set.invokeExact(arena.allocateFrom(key), arena.allocateFrom(value.toString()));
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        if (result != 0) {
            throw new AssertionError("the stand-in has no setting " + key + "=" + value);
        }
    }

    /** A counter by its name; a wrong one fails the test. */
    public long get(String counter) {
        long result;
        try (Arena arena = Arena.ofConfined()) {
            result = (long) get.invokeExact(arena.allocateFrom(counter));
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        if (result < 0) {
            throw new AssertionError("the stand-in has no counter " + counter);
        }
        return result;
    }

    /** How often a function was called since the reset. */
    public long calls(String call) {
        return get("calls." + call);
    }

    /** The call fails at its n-th time from now on, counted from 1, once. */
    public void failAt(String call, int n, int code) {
        set("fail", call + ":" + n + ":" + code);
    }

    /** Makes the n-th call after a failed one, here or in the driver, fail as well. */
    public void thenFailAt(String call, int n, int code) {
        set("then", call + ":" + n + ":" + code);
    }

    /** Whether a failure still waits for its call. */
    public boolean isPending() {
        return get("pending") > 0;
    }

    /** Returns those counters, of the given ones, that are not 0. */
    public Map<String, Long> open(String... counters) {
        Map<String, Long> open = new TreeMap<>();
        for (String counter : counters) {
            long value = get(counter);
            if (value != 0) {
                open.put(counter, value);
            }
        }
        return open;
    }
}
