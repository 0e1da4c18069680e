// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.gpudirect.internal.NvmlLibrary;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Controls the stand-in for libnvidia-ml. It is absent until a test sets a window. {@code
 * gpudirect/src/test/c/nvml-standin/README.md} describes the settings.
 */
public final class StandInNvml implements BeforeEachCallback, AfterEachCallback {
    @Override
    public void beforeEach(ExtensionContext context) {
        absent();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        System.clearProperty(NvmlLibrary.PROPERTY);
    }

    /** Makes gpudirect look for a library that is not there. */
    public static void absent() {
        System.setProperty(NvmlLibrary.PROPERTY, "/no/such/libnvidia-ml.so.1");
    }

    /** A GPU whose window is so large, and of which so much is in use. */
    public static void window(String gpu, long total, long used) {
        Whole.LIBRARY.reset();
        Whole.LIBRARY.set("gpu", gpu);
        Whole.LIBRARY.set("total", total);
        Whole.LIBRARY.set("used", used);
        System.setProperty(NvmlLibrary.PROPERTY, Whole.LIBRARY.file().toString());
    }

    /** So much of the window is in use from now on. */
    public static void used(long bytes) {
        Whole.LIBRARY.set("used", bytes);
    }

    /** The call fails from its next time on. */
    public static void fail(String call, int code) {
        Whole.LIBRARY.set("fail", call + ":1+:" + code);
    }

    /** Makes gpudirect open a library without some functions, as an older one. */
    public static void without(String... symbols) {
        System.setProperty(
                NvmlLibrary.PROPERTY, new StandInLibrary("nvml", symbols).file().toString());
    }

    /** With all functions; not loaded before a test asks for it. */
    private static final class Whole {
        static final StandInLibrary LIBRARY = new StandInLibrary("nvml");
    }
}
