// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Reads small files of a machine, by names without the leading slash. A file that cannot be read is empty. A file is
 * also empty if this JVM's locale cannot encode its name, a part of which may come from another file.
 */
public final class MachineFiles {
    /** The environment of this process. */
    public static final String ENVIRONMENT = "proc/self/environ";

    /** The folders where packages and NVIDIA's installers put libraries. */
    public static final List<String> LIBRARY_FOLDERS = List.of(
            "usr/lib/x86_64-linux-gnu",
            "usr/lib/aarch64-linux-gnu",
            "usr/lib64",
            "usr/lib",
            "lib/x86_64-linux-gnu",
            "lib/aarch64-linux-gnu",
            "lib64",
            "lib",
            "usr/local/cuda/lib64",
            "usr/local/cuda/targets/x86_64-linux/lib",
            "usr/local/cuda/targets/sbsa-linux/lib",
            "usr/local/lib");

    private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

    private final Path root;

    /**
     * @param root the folder that contains {@code sys}, {@code proc}, {@code dev} and {@code usr}
     */
    public MachineFiles(Path root) {
        this.root = root;
    }

    /** Returns the path of a file. */
    public Path path(String file) {
        return root.resolve(file);
    }

    /**
     * Returns a file's text without surrounding white space. Sysfs returns an error for values that do not exist. The
     * kernel passes on vendors' names in any encoding.
     */
    public Optional<String> text(String file) {
        try {
            return Optional.of(new String(Files.readAllBytes(path(file)), StandardCharsets.UTF_8).strip());
        } catch (IOException | InvalidPathException _) {
            return Optional.empty();
        }
    }

    /** Returns a file's text if it is a number that is not negative. Counters of some drivers are words. */
    public OptionalLong number(String file) {
        return text(file)
                .filter(text -> text.matches("\\d{1,20}"))
                .map(text -> OptionalLong.of(bounded(text)))
                .orElse(OptionalLong.empty());
    }

    /** Parses a number; a value beyond a long becomes the greatest long. */
    public static long bounded(String digits) {
        return new BigInteger(digits).min(MOST).longValue();
    }

    /** Returns whether something has this name. */
    public boolean exists(String file) {
        try {
            return Files.exists(path(file));
        } catch (InvalidPathException _) {
            return false;
        }
    }

    /** The names in a folder, as people count: port 2 before port 10. */
    public List<String> names(String folder) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path(folder))) {
            entries.forEach(entry -> names.add(entry.getFileName().toString()));
        } catch (IOException | DirectoryIteratorException | InvalidPathException _) {
            return List.of();
        }
        names.sort(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()));
        return names;
    }

    /** Returns the name of a link's final target. */
    public Optional<String> target(String link) {
        try {
            return Optional.ofNullable(path(link).toRealPath().getFileName()).map(Path::toString);
        } catch (IOException | InvalidPathException _) {
            return Optional.empty();
        }
    }

    /** Returns the text after a label at the start of a line of a file. */
    public Optional<String> labelled(String file, String label) {
        return text(file)
                .flatMap(text -> text.lines()
                        .filter(line -> line.startsWith(label))
                        .map(line -> line.substring(label.length()).strip())
                        .findFirst());
    }

    /** Returns the value of an environment variable of this process. */
    public Optional<String> variable(String name) {
        return text(ENVIRONMENT)
                .flatMap(environment -> Arrays.stream(environment.split("\0"))
                        .map(String::strip)
                        .filter(line -> line.startsWith(name + "="))
                        .map(line -> line.substring(name.length() + 1))
                        .findFirst());
    }

    /**
     * A library.
     *
     * @param isThere whether it was found
     * @param seen its path, or the paths that were searched
     */
    public record LibraryPlace(boolean isThere, String seen) {}

    /**
     * Finds a library as a program would, and its version by its links.
     *
     * @param name the name that the loader uses
     * @param property the system property that names another file; it does not apply to another machine's files
     */
    public LibraryPlace library(String name, String property) {
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
            return target(named)
                    .map(real -> new LibraryPlace(true, named + by + " is " + real))
                    .orElseGet(() -> new LibraryPlace(false, named + by + " does not exist"));
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
     * Returns the offset of the PCI Express capability in a configuration space of at least 256 bytes ({@code
     * linux/pci_regs.h}); 0 if there is none.
     */
    public static int expressCapability(byte[] config) {
        boolean hasCapabilities = (config[0x06] & 0x10) != 0;
        int offset = hasCapabilities ? config[0x34] & 0xfc : 0;
        // A broken device may have a list with a loop. The header's 64 bytes contain no entry.
        for (int entries = 0; entries < 64 && offset >= 64; entries++) {
            if (config[offset] == 0x10) {
                return offset;
            }
            offset = config[offset + 1] & 0xfc;
        }
        return 0;
    }

    /** Returns the folders that the loader searches first. */
    private Stream<String> loaderFolders() {
        return variable("LD_LIBRARY_PATH").stream()
                .flatMap(folders -> Arrays.stream(folders.split("[:;]")))
                .filter(folder -> folder.startsWith("/"))
                .map(folder -> folder.replaceAll("^/+|/+$", ""));
    }
}
