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
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads small files of a machine, by names without the leading slash. A file that cannot be read is empty. A file whose
 * name this JVM cannot encode is also empty: a part of the name may come from another file, in letters that the locale
 * lacks.
 */
public final class MachineFiles {
    private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

    private final Path root;

    /**
     * @param root the folder in which {@code sys}, {@code proc}, {@code dev} and {@code usr} are
     */
    public MachineFiles(Path root) {
        this.root = root;
    }

    /** Returns the path of a file. */
    public Path path(String file) {
        return root.resolve(file);
    }

    /**
     * A file's text without white space around it. Sysfs gives an error for values that do not exist. The kernel passes
     * on names as their makers have them, in whatever encoding.
     */
    public Optional<String> text(String file) {
        try {
            return Optional.of(new String(Files.readAllBytes(path(file)), StandardCharsets.UTF_8).strip());
        } catch (IOException | InvalidPathException _) {
            return Optional.empty();
        }
    }

    /** A file's text if it is a number that is not negative. Counters of some drivers are words. */
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
}
