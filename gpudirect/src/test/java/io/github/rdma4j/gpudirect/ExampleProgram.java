// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** A file of docs, and the programs of docs/examples. */
final class ExampleProgram {
    /** Between two programs: docs/gpudirect.md. */
    static final String TRANSFER = "GpuTransfer";
    /** From a file: docs/gpudirect-storage.md. */
    static final String TENSORS = "LoadTensors";

    /** Ranks of NCCL: docs/nccl.md. */
    static final String REDUCTION = "AllReduce";

    private ExampleProgram() {}

    static Path docs() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("native-headers"))) {
            folder = folder.getParent();
        }
        return folder.resolve("docs");
    }

    /** Compiled, by this call if not before: in the microVM the compiler alone takes most of a minute. */
    static Path classes(String name) throws Exception {
        Path classes = folder(name);
        if (!Files.exists(classes.resolve(name + ".class"))) {
            String complaints = compile(name);
            if (!complaints.isEmpty()) {
                throw new AssertionError(complaints);
            }
        }
        return classes;
    }

    private static Path source(String name) {
        return docs().resolve("examples").resolve(name + ".java");
    }

    private static Path folder(String name) throws IOException {
        return docs().resolve("../gpudirect/target/example")
                .resolve(Integer.toHexString(Files.readString(source(name)).hashCode()));
    }

    /** What the compiler has to say about it; nothing if all is well. */
    static String compile(String name) throws Exception {
        Path classes = folder(name);
        Files.createDirectories(classes);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<String> options = List.of(
                    "-Xlint:all,-restricted,-processing,-path",
                    "-d",
                    classes.toString(),
                    "-cp",
                    System.getProperty("java.class.path"));
            boolean compiled = compiler.getTask(
                            complaints, files, null, options, null, files.getJavaFileObjects(source(name)))
                    .call();
            return compiled ? complaints.toString() : "does not compile: " + complaints;
        }
    }

    /** Runs it in this JVM, as the tests' driver is one for a JVM. */
    static void run(String name, String... arguments) throws Exception {
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {classes(name).toUri().toURL()}, ExampleProgram.class.getClassLoader())) {
            Class<?> program = loader.loadClass(name);
            var constructor = program.getDeclaredConstructor();
            constructor.setAccessible(true);
            Method main = program.getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(constructor.newInstance(), (Object) arguments);
        }
    }
}
