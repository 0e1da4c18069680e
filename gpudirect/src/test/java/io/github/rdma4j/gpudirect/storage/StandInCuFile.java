// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.gpudirect.StandInLibrary;
import io.github.rdma4j.gpudirect.storage.internal.CuFileLibrary;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Controls the stand-in for libcufile. The stand-in for CUDA's driver comes first:
 * {@code @ExtendWith({StandInDriver.class, StandInCuFile.class})}. The settings are described in
 * {@code gpudirect/src/test/c/cufile-standin/README.md}.
 */
public final class StandInCuFile implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        StandInDriver.use();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        use();
        Whole.LIBRARY.reset();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Whole.LIBRARY.reset();
        use();
    }

    /** Makes gpudirect open the stand-in. */
    public static void use() {
        use(library());
    }

    private static void use(Path library) {
        System.setProperty(CuFileLibrary.PROPERTY, library.toString());
    }

    /** Makes gpudirect look for a library that is not there. */
    public static void absent() {
        use(Path.of("/no/such/libcufile.so.0"));
    }

    /** Makes gpudirect open a library without some functions, as an older one. */
    public static void without(String... symbols) {
        use(new StandInLibrary("cufile", symbols).file());
    }

    /** A setting by its name; a wrong one fails the test. */
    public static void set(String key, Object value) {
        Whole.LIBRARY.set(key, value);
    }

    /** A counter by its name; a wrong one fails the test. */
    public static long get(String counter) {
        return Whole.LIBRARY.get(counter);
    }

    /** How often a function was called since the reset. */
    public static long calls(String call) {
        return Whole.LIBRARY.calls(call);
    }

    /** The call fails at its n-th time from now on, counted from 1, once. */
    public static void failAt(String call, int n, int code) {
        Whole.LIBRARY.failAt(call, n, code);
    }

    /** Returns the open objects: the names of the counters that are not 0, with their values. */
    public static Map<String, Long> open() {
        return Whole.LIBRARY.open("opened", "handles", "buffers", "streams", "batches");
    }

    /** The one with all functions. */
    static StandInLibrary whole() {
        use();
        return Whole.LIBRARY;
    }

    /** The library's file, compiled if it is not there. */
    public static Path library() {
        return Whole.LIBRARY.file();
    }

    /** With all functions; not loaded before a test asks for it. */
    private static final class Whole {
        static final StandInLibrary LIBRARY = new StandInLibrary("cufile");
    }
}
