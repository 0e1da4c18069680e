// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program of the page, compiled and run as its readers would. */
@Timeout(600)
class MetersExampleTest {
    @Test
    void itPrintsWhatWasCounted(@TempDir Path classes) throws Exception {
        assertThat(compile(classes)).isEmpty();
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
            Class<?> program = loader.loadClass("Meters");
            Constructor<?> constructor = program.getDeclaredConstructor();
            constructor.setAccessible(true);
            Method main = program.getDeclaredMethod("main");
            main.setAccessible(true);
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            main.invoke(constructor.newInstance());
        } finally {
            System.setOut(before);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .isEqualTo("[tag(peer=example)]: 3.0 messages sent\n1.0 clients accepted\n");
    }

    private static String compile(Path classes) throws Exception {
        Path source = Path.of("../../docs/examples/Meters.java");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<String> options = List.of(
                    "-Xlint:all,-restricted,-processing,-path,-classfile",
                    "-d",
                    classes.toString(),
                    "-cp",
                    System.getProperty("java.class.path"));
            compiler.getTask(complaints, files, null, options, null, files.getJavaFileObjects(source))
                    .call();
        }
        return complaints.toString();
    }
}
