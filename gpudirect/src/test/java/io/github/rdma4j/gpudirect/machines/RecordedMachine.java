// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.machines;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Files and links of a machine's {@code /sys}, {@code /proc} and the like, written into a folder, from a text in which
 * a line is one of them.
 *
 * <p>A line that ends with a slash is a folder. An indented one is something in the folder before it, others count from
 * the root: {@code name: text} is a file with that line, in which {@code \n} begins another; {@code name -> target} a
 * link. {@code config: @100 0d 00} are bytes from an offset on, between zeros. {@code #} begins a comment.
 */
public final class RecordedMachine {
    private final Path root;

    private RecordedMachine(Path root) {
        this.root = root;
    }

    /** Writes the machine that resource {@code name.txt} beside this class has into a folder. */
    public static RecordedMachine of(String name, Path root) {
        try (InputStream in = RecordedMachine.class.getResourceAsStream(name + ".txt")) {
            return new RecordedMachine(root).with(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** A machine of which nothing can be read. */
    public static RecordedMachine empty(Path root) {
        return new RecordedMachine(root);
    }

    /** The same with more lines; a file that is there is overwritten. */
    public RecordedMachine with(String lines) {
        Path folder = root;
        for (String line : lines.lines().toList()) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            Path base = line.startsWith("  ") ? folder : root;
            String entry = line.strip();
            try {
                if (entry.endsWith("/")) {
                    folder = Files.createDirectories(base.resolve(entry));
                } else {
                    write(base, entry);
                }
            } catch (IOException failure) {
                throw new UncheckedIOException(line, failure);
            }
        }
        return this;
    }

    /** The same without a file. */
    public RecordedMachine without(String file) {
        try {
            Files.delete(root.resolve(file));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return this;
    }

    /** Where it is. */
    public Path root() {
        return root;
    }

    private static void write(Path base, String entry) throws IOException {
        int arrow = entry.indexOf(" -> ");
        int colon = entry.indexOf(": ");
        if (arrow >= 0) {
            Path link = base.resolve(entry.substring(0, arrow));
            Files.createDirectories(link.getParent());
            Files.deleteIfExists(link);
            Files.createSymbolicLink(link, Path.of(entry.substring(arrow + 4)));
            return;
        }
        String name = colon >= 0 ? entry.substring(0, colon) : entry;
        String text = colon >= 0 ? entry.substring(colon + 2).replace("\\n", "\n") : "";
        Path file = base.resolve(name);
        Files.createDirectories(file.getParent());
        if (text.startsWith("@")) {
            Files.write(file, bytes(text));
        } else {
            Files.writeString(file, text + "\n");
        }
    }

    private static byte[] bytes(String text) {
        byte[] bytes = new byte[4096];
        int at = 0;
        int length = 0;
        for (String word : text.split(" +")) {
            if (word.startsWith("@")) {
                at = Integer.parseInt(word, 1, word.length(), 16);
            } else {
                bytes[at++] = (byte) HexFormat.fromHexDigits(word);
                length = Math.max(length, at);
            }
        }
        return Arrays.copyOf(bytes, length);
    }
}
