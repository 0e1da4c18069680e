// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * The target of the JSON document.
 *
 * @param file null for none, or standard output
 * @param isOutput whether it goes to standard output
 */
public record JsonTarget(Path file, boolean isOutput) {
    private static final String OUTPUT = "-";

    /**
     * Returns the target for a value of {@code --out_json}.
     *
     * @param text a file, {@code -} for standard output; null for none
     * @throws java.nio.file.InvalidPathException when it cannot be the name of a file
     */
    public static JsonTarget of(String text) {
        return text == null || text.equals(OUTPUT)
                ? new JsonTarget(null, text != null)
                : new JsonTarget(Path.of(text), false);
    }

    /**
     * Checks before the measurement that it can be written.
     *
     * @throws IllegalParameterException when it cannot
     */
    public void check() {
        if (file == null) {
            return;
        }
        Path folder = Objects.requireNonNullElse(file.toAbsolutePath().getParent(), file);
        boolean possible = Files.exists(file)
                ? !Files.isDirectory(file) && Files.isWritable(file)
                : Files.isDirectory(folder) && Files.isWritable(folder);
        IllegalParameterException.when(!possible, "--out_json: " + file + " cannot be written");
    }
}
