// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.Consumer;
import org.apache.spark.network.TransportContext;
import org.apache.spark.network.ssl.SSLFactory;
import org.apache.spark.network.util.TransportConf;

/**
 * Gives this JVM the classes that the agent would make, before the first use of Spark's own. If the property {@value
 * #ADDRESS} has an address, Spark's own tests connect to it, and {@code RDMA} takes the place of the mode {@code AUTO}.
 * Those with TLS read their keys from files, and not from Spark's jar of tests.
 */
public final class ChangedSpark {
    static final String ADDRESS = "rdma4j.spark.address";

    private static final String PACKAGE = "org/apache/spark/network/util/";
    private static final ClassDesc MODE = ClassDesc.ofInternalName(PACKAGE + "IOMode");
    private static final ClassDesc THIS = ClassDesc.of(ChangedSpark.class.getName());
    private static final MethodTypeDesc TEXT_TO_TEXT =
            MethodTypeDesc.of(ConstantDescs.CD_String, ConstantDescs.CD_String);

    static {
        // As Spark starts its processes: it gives Netty no name of the peer to verify.
        System.setProperty("io.netty.handler.ssl.defaultEndpointVerificationAlgorithm", "NONE");
        try {
            MethodHandles.Lookup util = MethodHandles.privateLookupIn(TransportConf.class, MethodHandles.lookup());
            util.defineClass(changed("IOMode"));
            util.defineClass(withMode(changed("NettyUtils")));
            MethodHandles.privateLookupIn(TransportContext.class, MethodHandles.lookup())
                    .defineClass(
                            withMethod("/org/apache/spark/network/TestUtils", "getLocalHost", ChangedSpark::property));
            MethodHandles.privateLookupIn(SSLFactory.class, MethodHandles.lookup())
                    .defineClass(withMethod(
                            "/org/apache/spark/network/ssl/SslSampleConfigs",
                            "getAbsolutePath",
                            code -> code.aload(0).invokestatic(THIS, "file", TEXT_TO_TEXT)));
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

    /** Puts {@code if (mode == IOMode.AUTO && System.getProperty(…) != null) mode = IOMode.RDMA} in front. */
    private static byte[] withMode(byte[] bytes) {
        ClassFile files = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(TransportConf.class.getClassLoader())));
        return files.transformClass(
                files.parse(bytes),
                ClassTransform.transformingMethodBodies(
                        method -> method.methodTypeSymbol().parameterList().contains(MODE), new CodeTransform() {
                            @Override
                            public void atStart(CodeBuilder code) {
                                Label others = code.newLabel();
                                code.aload(0).getstatic(MODE, "AUTO", MODE).if_acmpne(others);
                                property(code).ifnull(others);
                                code.getstatic(MODE, "RDMA", MODE).astore(0).labelBinding(others);
                            }

                            @Override
                            public void accept(CodeBuilder code, CodeElement element) {
                                code.with(element);
                            }
                        }));
    }

    private static CodeBuilder property(CodeBuilder code) {
        return code.loadConstant(ADDRESS).invokestatic(ClassDesc.of("java.lang.System"), "getProperty", TEXT_TO_TEXT);
    }

    /** Replaces a method that returns an object. */
    private static byte[] withMethod(String type, String name, Consumer<CodeBuilder> result) {
        ClassFile files = ClassFile.of();
        return files.transformClass(
                files.parse(bytes(type)),
                ClassTransform.transformingMethods(
                        method -> method.methodName().equalsString(name), (method, element) -> {
                            if (element instanceof CodeModel) {
                                method.withCode(code -> {
                                    result.accept(code);
                                    code.areturn();
                                });
                            } else {
                                method.with(element);
                            }
                        }));
    }

    /** {@return the path of a file with the content of a resource} */
    public static String file(String resource) throws IOException {
        Path file = Files.createTempFile("rdma4j-spark-", null);
        file.toFile().deleteOnExit();
        try (InputStream in = TransportConf.class.getResourceAsStream(resource)) {
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
        }
        return file.toString();
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
