// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import org.apache.spark.network.util.TransportConf;

/** Gives this JVM the classes that the agent would make, before the first use of Spark's own. */
final class ChangedSpark {
    private static final String PACKAGE = "org/apache/spark/network/util/";

    static {
        try {
            MethodHandles.Lookup util = MethodHandles.privateLookupIn(TransportConf.class, MethodHandles.lookup());
            util.defineClass(changed("IOMode"));
            util.defineClass(changed("NettyUtils"));
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private ChangedSpark() {}

    /** Changes them, once. */
    static void load() {}

    private static byte[] changed(String name) {
        ClassLoader loader = TransportConf.class.getClassLoader();
        return RdmaMode.addTo(PACKAGE + name, bytes(name), loader).orElseThrow();
    }

    /** {@return a class of that package as Spark has it} */
    static byte[] bytes(String name) {
        try (InputStream in = TransportConf.class.getResourceAsStream(name + ".class")) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
