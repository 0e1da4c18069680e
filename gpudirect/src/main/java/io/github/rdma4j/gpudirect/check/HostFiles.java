// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads small files below a root. A file that cannot be read is empty. */
final class HostFiles {
    /** The folders where packages and NVIDIA's installers put libraries. */
    private static final List<String> LIBRARY_FOLDERS = List.of(
            "usr/lib/x86_64-linux-gnu",
            "usr/lib/aarch64-linux-gnu",
            "usr/lib64",
            "usr/lib",
            "usr/local/cuda/lib64",
            "usr/local/cuda/targets/x86_64-linux/lib",
            "usr/local/cuda/targets/sbsa-linux/lib",
            "usr/local/lib");

    private final Path root;

    HostFiles(Path root) {
        this.root = root;
    }

    Path root() {
        return root;
    }

    /** Returns a file's text without surrounding white space. */
    Optional<String> text(String file) {
        return text(root.resolve(file));
    }

    /** Returns a file's text. The kernel does not convert the encoding of names and variables. */
    static Optional<String> text(Path file) {
        try {
            return Optional.of(new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip());
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    /**
     * Returns the value of a variable in an environment, which has the format of {@code /proc/self/environ}.
     *
     * @param prefix its name and an equals sign
     */
    static Optional<String> variable(String environment, String prefix) {
        return Arrays.stream(environment.split("\0"))
                .map(String::strip)
                .filter(line -> line.startsWith(prefix))
                .map(line -> line.substring(prefix.length()))
                .findFirst();
    }

    /**
     * Returns whether the processor is an arm64 one. The kernel says so since Linux 6.1; its list of processors always
     * did.
     */
    boolean isArm64() {
        return text("proc/sys/kernel/arch")
                .map("aarch64"::equals)
                .orElseGet(() -> text("proc/cpuinfo")
                        .filter(text -> text.contains("CPU implementer"))
                        .isPresent());
    }

    boolean exists(String file) {
        return Files.exists(root.resolve(file));
    }

    /**
     * Finds a library as a program would, and its version by its links.
     *
     * @param name the name that the loader uses
     * @param property the system property that names another file; it does not apply to another machine's files
     */
    LibraryPlace library(String name, String property) {
        String named = root.equals(root.getRoot()) ? System.getProperty(property, name) : name;
        if (named.isBlank()) {
            return new LibraryPlace(false, "-D" + property + " names no file");
        }
        if (named.contains("/")) {
            Path file = Path.of(named);
            String by = ", which -D" + property + " names,";
            if (Files.isDirectory(file)) {
                return new LibraryPlace(false, named + by + " is a folder");
            }
            return target(file)
                    .map(real -> new LibraryPlace(true, named + by + " is " + real))
                    .orElseGet(() -> new LibraryPlace(false, named + by + " is not there"));
        }
        return Stream.concat(loaderFolders(), LIBRARY_FOLDERS.stream())
                .map(folder -> folder + "/" + named)
                .filter(this::exists)
                .findFirst()
                .map(file -> new LibraryPlace(
                        true,
                        "/" + file + target(file).map(real -> " is " + real).orElse("")))
                .orElseGet(() -> new LibraryPlace(false, named + " is in none of the usual folders"));
    }

    /**
     * Whether a library is there.
     *
     * @param seen the place of the library, or the places that were searched
     */
    record LibraryPlace(boolean isThere, String seen) {}

    /** Returns the folders that the loader searches first. */
    private Stream<String> loaderFolders() {
        return text("proc/self/environ").flatMap(environment -> variable(environment, "LD_LIBRARY_PATH=")).stream()
                .flatMap(folders -> Arrays.stream(folders.split("[:;]")))
                .filter(folder -> folder.startsWith("/"))
                .map(folder -> folder.replaceAll("^/+|/+$", ""));
    }

    /** Returns the names in a folder, in order. */
    List<String> names(String folder) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(root.resolve(folder))) {
            entries.forEach(entry -> names.add(entry.getFileName().toString()));
        } catch (IOException | DirectoryIteratorException _) {
            return List.of();
        }
        Collections.sort(names);
        return names;
    }

    /** Returns the name of a link's final target; empty for the root, which has none. */
    Optional<String> target(String link) {
        return target(root.resolve(link));
    }

    static Optional<String> target(Path link) {
        try {
            return Optional.ofNullable(link.toRealPath().getFileName()).map(Path::toString);
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    /** Returns the text after a label at the start of a line. */
    static Optional<String> labelled(String text, String label) {
        return text.lines()
                .filter(line -> line.startsWith(label))
                .map(line -> line.substring(label.length()).strip())
                .findFirst();
    }
}
