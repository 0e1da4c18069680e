// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.netty.RdmaSocketChannel;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.launcher.JavaModuleOptions;

/**
 * A standalone cluster of Spark: processes as a distribution of Spark starts them, in a folder with its layout. A
 * {@link CommandServer} at each address starts them.
 */
final class SparkCluster implements AutoCloseable {
    /** Bounds a hang, in an emulated machine as well. */
    private static final int PATIENCE_SECONDS = 600;

    private static final List<String> QUICK =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dio.netty.tryReflectionSetAccessible=true");

    private final Path home;
    private final Path agent;
    private final List<Running> running = new ArrayList<>();
    private int workers;
    private final String master;

    /**
     * Starts the master.
     *
     * @param home an empty folder, which all machines see
     * @param address the master's
     * @param settings the master's
     */
    SparkCluster(Path home, String address, Map<String, String> settings) throws IOException, InterruptedException {
        this.home = home;
        Path jars = Files.createDirectories(home.resolve("jars"));
        Files.createDirectories(home.resolve("conf"));
        for (String library : libraries()) {
            Path jar = Path.of(library);
            Files.createSymbolicLink(jars.resolve(jar.getFileName()), jar);
        }
        agent = agentJar(home);
        Running process = start(
                address,
                settings,
                List.of(),
                "org.apache.spark.deploy.master.Master",
                List.of("--host", address, "--port", "0", "--webui-port", "0"));
        master = "spark://" + process.await("Starting Spark master at spark://");
    }

    /** The class path without rdma4j and without JUnit. */
    private static List<String> libraries() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.endsWith(".jar"))
                .filter(entry -> !entry.matches(".*/(rdma4j-[^/]*|junit-[^/]*|[^/]*-tests[.]jar)"))
                .distinct()
                .toList();
    }

    /** Makes the jar of the agent, as the build does, from what this JVM runs; and Class-Path names the rest. */
    static Path agentJar(Path folder) throws IOException {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.put(new Attributes.Name("Premain-Class"), SparkAgent.class.getName());
        attributes.put(
                Attributes.Name.CLASS_PATH,
                Stream.of(RdmaSocketChannel.class, Endpoint.class, TimeText.class)
                        .map(type -> location(type).toUri().toString())
                        .distinct()
                        .collect(Collectors.joining(" ")));
        return jar(folder.resolve("rdma4j-spark.jar"), manifest, location(SparkAgent.class));
    }

    private static Path location(Class<?> type) {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath());
    }

    /** Makes a jar of the classes of this package that lie in a folder or jar. */
    private static Path jar(Path target, Manifest manifest, Path classes) throws IOException {
        String folder = SparkAgent.class.getPackageName().replace('.', '/');
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(target), manifest)) {
            if (Files.isDirectory(classes)) {
                try (Stream<Path> files = Files.list(classes.resolve(folder))) {
                    for (Path file : files.toList()) {
                        add(out, folder + "/" + file.getFileName(), Files.readAllBytes(file));
                    }
                }
            } else {
                try (JarFile in = new JarFile(classes.toFile())) {
                    for (JarEntry entry : in.stream()
                            .filter(one -> one.getName().startsWith(folder + "/") && !one.isDirectory())
                            .toList()) {
                        add(out, entry.getName(), in.getInputStream(entry).readAllBytes());
                    }
                }
            }
        }
        return target;
    }

    private static void add(JarOutputStream out, String name, byte[] bytes) throws IOException {
        out.putNextEntry(new JarEntry(name));
        out.write(bytes);
    }

    private Running start(
            String address, Map<String, String> settings, List<String> options, String main, List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "env",
                "JAVA_HOME=" + System.getProperty("java.home"),
                "SPARK_HOME=" + home,
                "SPARK_SCALA_VERSION=2.13",
                "SPARK_LOCAL_IP=" + address,
                Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(QUICK);
        command.addAll(List.of(JavaModuleOptions.defaultModuleOptionArray()));
        command.addAll(
                List.of("-Xmx512m", "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        command.addAll(options);
        settings.forEach((name, value) -> command.add("-D" + name + "=" + value));
        command.addAll(List.of("-cp", home.resolve("conf") + ":" + home.resolve("jars") + "/*", main));
        command.addAll(arguments);
        Running process = new Running(address, command);
        running.add(process);
        return process;
    }

    /**
     * Starts a worker and waits until the master has it.
     *
     * @param cores each executor has one
     * @param settings of the worker, whose shuffle service may be enabled
     */
    void startWorker(String address, int cores, Map<String, String> settings) throws IOException, InterruptedException {
        Running worker = start(
                address,
                settings,
                List.of("-javaagent:" + agent),
                "org.apache.spark.deploy.worker.Worker",
                List.of(
                        "--host",
                        address,
                        "--port",
                        "0",
                        "--webui-port",
                        "0",
                        "--cores",
                        "" + cores,
                        "--memory",
                        "2g",
                        "--work-dir",
                        home.resolve("work-" + workers).toString(),
                        master));
        worker.await("Successfully registered with master");
        workers++;
    }

    /** Starts an application. */
    Running submit(String address, Map<String, String> settings, Class<?> main, String... arguments)
            throws IOException {
        Path application = home.resolve("application.jar");
        if (Files.notExists(application)) {
            jar(application, manifest(), location(main));
        }
        Map<String, String> all = new HashMap<>(Map.of(
                "spark.master",
                master,
                "spark.ui.enabled",
                "false",
                "spark.driver.host",
                address,
                "spark.executor.cores",
                "1",
                "spark.executor.memory",
                "512m",
                "spark.executor.extraJavaOptions",
                "-javaagent:" + agent + " " + String.join(" ", QUICK)));
        all.putAll(settings);
        List<String> rest = new ArrayList<>();
        all.forEach((name, value) -> rest.addAll(List.of("--conf", name + "=" + value)));
        rest.addAll(List.of("--class", main.getName(), application.toString()));
        rest.addAll(List.of(arguments));
        return start(address, Map.of(), List.of("-javaagent:" + agent), "org.apache.spark.deploy.SparkSubmit", rest);
    }

    private static Manifest manifest() {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        return manifest;
    }

    /** {@return the lines that executors have logged} */
    List<String> logsOfExecutors() throws IOException {
        try (Stream<Path> files = Files.walk(home)) {
            return files.filter(file -> file.endsWith("stderr"))
                    .flatMap(SparkCluster::lines)
                    .toList();
        }
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        running.forEach(Running::close);
    }

    /** A process whose output is read. */
    static final class Running implements AutoCloseable {
        private final Socket connection;
        private final Thread reader;
        private final BlockingQueue<String> coming = new LinkedBlockingQueue<>();
        private final List<String> all = new ArrayList<>();

        /**
         * Starts a process.
         *
         * @param address the machine's
         */
        Running(String address, List<String> command) throws IOException {
            connection = new Socket(address, CommandServer.PORT);
            connection.getOutputStream().write((String.join("\t", command) + "\n").getBytes());
            reader = Thread.ofVirtual().start(() -> {
                try (BufferedReader lines = new BufferedReader(new InputStreamReader(connection.getInputStream()))) {
                    lines.lines().forEach(coming::add);
                } catch (IOException | UncheckedIOException e) {
                    coming.add(e.toString());
                }
            });
        }

        /** Waits for a line that contains a text. Returns what follows the text. */
        String await(String text) throws InterruptedException {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (true) {
                String line = coming.poll(1, TimeUnit.SECONDS);
                if (line == null) {
                    assertThat(System.nanoTime() - end)
                            .as("%s in %s", text, all)
                            .isNegative();
                    assertThat(reader.isAlive() || !coming.isEmpty())
                            .as("%s in %s", text, String.join("\n", all))
                            .isTrue();
                } else {
                    all.add(line);
                    int begin = line.indexOf(text);
                    if (begin >= 0) {
                        return line.substring(begin + text.length());
                    }
                }
            }
        }

        /** {@return the lines that were waited for} */
        List<String> lines() {
            return all;
        }

        /** Ends the process, if it has not ended, and waits for its end. */
        @Override
        public void close() {
            try {
                connection.shutdownOutput();
            } catch (IOException e) {
                // The process has ended.
            }
            try {
                reader.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
