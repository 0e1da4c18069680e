// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.io.IOException;
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
 * Compiles the stand-in for libcuda once, into {@code cuda-ffm/target/standin}, in a folder named by what its source
 * is; tests of other modules, and those in the microVM, find it there.
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
     * @param without symbols that dlsym shall not find in it, as in an older driver
     */
    public static Path library(String... without) {
        Path source = source();
        Path target = source.resolve("../../../../target/standin").normalize();
        try {
            Path file = target.resolve(digest(source, List.of(without))).resolve("libcuda-standin.so");
            if (!Files.exists(file)) {
                Files.createDirectories(file.getParent());
                compile(source, file, List.of(without));
            }
            return file;
        } catch (IOException e) {
            throw new AssertionError("the stand-in for libcuda cannot be built in " + target, e);
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

    private static String digest(Path source, List<String> without) throws IOException {
        try (Stream<Path> files = Files.list(source)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Path file : files.filter(file -> !file.toString().endsWith(".md"))
                    .sorted()
                    .toList()) {
                digest.update(Files.readAllBytes(file));
            }
            digest.update(without.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest(), 0, 6);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static void compile(Path source, Path file, List<String> without) throws IOException {
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
                        "the stand-in for libcuda does not compile; it needs the Debian packages gcc and"
                                + " libc6-dev:\n" + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while the stand-in for libcuda was compiled", e);
        }
    }
}
