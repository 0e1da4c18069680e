// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Compiles stand-ins once, that for libcuda into {@code cuda-ffm/target/standin}, in a folder named by what the source
 * and the system are; tests of other modules, and those in the microVM, find it there. A guest may have another
 * architecture or C library than this machine, whose libraries do not load here.
 */
public final class StandInBuild {
    private static final long LIMIT_SECONDS = 300;

    private StandInBuild() {}

    /** Prints where the library is, compiled if it was not there; for scripts and for programs run by hand. */
    public static void main(String[] without) {
        System.out.println(library(without));
    }

    /**
     * The library.
     *
     * @param without symbols that dlsym does not find in it, as in an older driver
     */
    public static Path library(String... without) {
        Path source = source();
        return library(
                List.of(source), source.resolve("../../../../target/standin").normalize(), "libcuda", without);
    }

    /**
     * The library of another stand-in.
     *
     * @param sources folders that it is made of; the program {@code build} in the first one makes it
     * @param target the folder for what is made
     * @param name of the library that it stands for
     * @param without symbols that dlsym does not find in it
     */
    public static Path library(List<Path> sources, Path target, String name, String... without) {
        try {
            Path file = target.resolve(digest(sources, List.of(without))).resolve(name + "-standin.so");
            if (!Files.exists(file)) {
                Files.createDirectories(file.getParent());
                compile(sources.getFirst(), file, name, List.of(without));
            }
            return file;
        } catch (IOException e) {
            throw new AssertionError("the stand-in for %s cannot be built in %s".formatted(name, target), e);
        }
    }

    /** The folder of its source. */
    public static Path source() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("native-headers"))) {
            folder = folder.getParent();
            if (folder == null) {
                throw new AssertionError("tests run in a folder of the project");
            }
        }
        return folder.resolve("cuda-ffm/src/test/c/standin");
    }

    private static String digest(List<Path> sources, List<String> without) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Path source : sources) {
                for (Path file : files(source)) {
                    digest.update(Files.readAllBytes(file));
                }
            }
            digest.update((without + system()).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest(), 0, 6);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static String system() {
        Linker linker = Linker.nativeLinker();
        MethodHandle version = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("gnu_get_libc_version"),
                FunctionDescriptor.of(
                        ValueLayout.ADDRESS.withTargetLayout(MemoryLayout.sequenceLayout(64, ValueLayout.JAVA_BYTE))));
        try {
            return System.getProperty("os.arch") + ((MemorySegment) version.invokeExact()).getString(0);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static List<Path> files(Path source) throws IOException {
        try (Stream<Path> files = Files.list(source)) {
            return files.filter(file -> !file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    private static void compile(Path source, Path file, String name, List<String> without) throws IOException {
        List<String> command =
                new ArrayList<>(List.of("sh", source.resolve("build").toString(), file.toString()));
        command.addAll(without);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new AssertionError(
                        "the stand-in for %s does not compile; it needs the Debian packages gcc and libc6-dev:%n%s"
                                .formatted(name, output));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while the stand-in for " + name + " was compiled", e);
        }
    }
}
