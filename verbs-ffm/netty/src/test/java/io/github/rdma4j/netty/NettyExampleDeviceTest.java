// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The programs of the page, compiled and run as its readers would. */
@Tag("device")
@Tag("checkout")
class NettyExampleDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern ADDRESS = Pattern.compile("waiting at /([0-9.]+):([0-9]+)\n");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            NettyEcho | over RDMA | over RDMA
            HttpHello | /index    | 200 OK, this is /index
            Http2Hello | /index   | 200 OK, this is /index
            GrpcHello | RDMA      | hello, RDMA
            """)
    void serverAnswersTheClient(String name, String asked, String answered, @TempDir Path classes) throws Exception {
        Method main = compile(name, classes);
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(printed, true));
        CompletableFuture<Void> ended = new CompletableFuture<>();
        String host = RdmaTestNet.address().getAddress().getHostAddress();
        Thread server = new Thread(() -> {
            try {
                run(main, host, "0");
            } catch (Exception e) {
                // The interrupt ends it.
            }
            ended.complete(null);
        });
        try {
            server.start();
            Matcher address = awaitAddress(printed);
            run(main, address.group(1), address.group(2), asked);
            assertThat(printed.toString()).contains("answered: " + answered + "\n");
        } finally {
            server.interrupt();
            ended.orTimeout(PATIENCE.toSeconds(), java.util.concurrent.TimeUnit.SECONDS)
                    .join();
            System.setOut(before);
        }
    }

    private static Matcher awaitAddress(ByteArrayOutputStream printed) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        Matcher address = ADDRESS.matcher(printed.toString());
        while (!address.find()) {
            assertThat(System.nanoTime()).as(printed::toString).isLessThan(end);
            Thread.sleep(10);
            address = ADDRESS.matcher(printed.toString());
        }
        return address;
    }

    private static void run(Method main, String... arguments) throws Exception {
        Constructor<?> constructor = main.getDeclaringClass().getDeclaredConstructor();
        constructor.setAccessible(true);
        main.invoke(constructor.newInstance(), (Object) arguments);
    }

    private static Method compile(String name, Path classes) throws Exception {
        File source = Path.of(System.getProperty("user.dir"), "../../docs/examples", name + ".java")
                .toFile();
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
        assertThat(complaints.toString()).isEmpty();
        URLClassLoader loader =
                new URLClassLoader(new URL[] {classes.toUri().toURL()}, NettyExampleDeviceTest.class.getClassLoader());
        Method main = loader.loadClass(name).getDeclaredMethod("main", String[].class);
        main.setAccessible(true);
        return main;
    }
}
