// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command line of {@code report}. */
@Command(
        name = "rdma4j " + ReportCommand.NAME,
        description = "Makes one HTML page with charts from results documents, which --out_json of the tools and of"
                + " compare writes. The page needs no network.",
        sortOptions = false,
        usageHelpAutoWidth = true)
final class ReportOptions {
    @Parameters(
            paramLabel = "<results.json>",
            description = "Results documents; the page shows several side by" + " side.")
    private List<Path> files = new ArrayList<>();

    @Option(
            names = "--out",
            paramLabel = "<file>",
            description = "The page (default report.html); an existing file is overwritten.")
    private Path out = Path.of("report.html");

    @Option(
            names = "--title",
            paramLabel = "<text>",
            description = "Title of the page (default: what was measured, on which device).")
    private String title;

    @Option(
            names = "--machine",
            paramLabel = "<name|file>",
            description = "Also draw the limits of this machine's links and the prediction for it; the value is as"
                    + " for predict --machine.")
    private String machine;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help screen.")
    private boolean help;

    boolean wantsHelp() {
        return help;
    }

    /** Returns the file for the page. */
    Path out() {
        return out;
    }

    /** Whose limits to draw. */
    Optional<String> machine() {
        return Optional.ofNullable(machine);
    }

    /** The page's title; null for the usual one. */
    String title() {
        return title;
    }

    /**
     * The documents.
     *
     * @throws IllegalParameterException when there are none, or the page cannot be written
     */
    List<Path> files() {
        if (files.isEmpty()) {
            throw new IllegalParameterException("of which results? Name one or more JSON documents");
        }
        for (Path file : files) {
            if (isSame(file, out)) {
                throw new IllegalParameterException("--out: " + out + " is one of the documents");
            }
        }
        Path folder = Objects.requireNonNullElse(out.toAbsolutePath().getParent(), out);
        boolean possible = Files.exists(out)
                ? !Files.isDirectory(out) && Files.isWritable(out)
                : Files.isDirectory(folder) && Files.isWritable(folder);
        if (!possible) {
            throw new IllegalParameterException("--out: " + out + " cannot be written");
        }
        return files;
    }

    private static boolean isSame(Path file, Path other) {
        try {
            return Files.exists(file) && Files.exists(other) && Files.isSameFile(file, other);
        } catch (IOException _) {
            return false;
        }
    }
}
