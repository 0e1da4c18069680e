// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/**
 * The Java agent that adds the mode {@code RDMA} to Spark's network module: {@code -javaagent:rdma4j-spark.jar}. A
 * module of Spark uses it if its {@code spark.MODULE.io.mode} is {@code RDMA}. The others stay as they are.
 *
 * @since 0.1.0
 */
public final class SparkAgent {
    private SparkAgent() {}

    /**
     * Registers the change of Spark's classes. The JVM calls it before the program's main method.
     *
     * @param options none
     * @param instrumentation the JVM's
     */
    public static void premain(String options, Instrumentation instrumentation) {
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(
                    ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
                // The JVM ignores what a transformer throws, and null leaves the class as it is.
                try {
                    return RdmaMode.addTo(name, bytes, loader).orElse(null);
                } catch (RuntimeException e) {
                    System.err.println("rdma4j-spark cannot add the mode RDMA to Spark: " + e.getMessage());
                    return null;
                }
            }
        });
    }
}
