// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The program that the README shows. */
final class ReadmeExample {
    private static final Path PROJECT = projectFolder();
    static final String MAIN_CLASS = "WriteToPeer";
    static final Path SOURCE = PROJECT.resolve("docs/examples").resolve(MAIN_CLASS + ".java");
    static final Path README = PROJECT.resolve("README.md");
    /** The TCP port that the program uses. */
    static final int PORT = 7471;

    private ReadmeExample() {}

    private static Path projectFolder() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("native-headers"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    /** Compiles the program as its reader would, into a folder; false if it does not compile. */
    static boolean compileInto(Path classes) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            return compiler.getTask(
                            null,
                            files,
                            null,
                            List.of("-d", classes.toString(), "-cp", System.getProperty("java.class.path")),
                            null,
                            files.getJavaFileObjects(SOURCE))
                    .call();
        }
    }
}
