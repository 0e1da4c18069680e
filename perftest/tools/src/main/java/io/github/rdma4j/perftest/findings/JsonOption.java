// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.findings;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.SameFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The option {@code --json} of commands that print a page. */
public final class JsonOption {
    /** The exit status of a command whose document could not be written. */
    public static final int NOT_WRITTEN = 4;

    private static final String STANDARD_OUTPUT = "-";

    @Option(
            names = "--json",
            arity = "0..1",
            fallbackValue = STANDARD_OUTPUT,
            paramLabel = "<file>",
            description = "Also write the findings to this file, as JSON; without a file, print only JSON.")
    private String json;

    /** Writes a document. */
    @FunctionalInterface
    public interface Document {
        /**
         * Writes it.
         *
         * @param out receives UTF-8; not closed
         */
        void write(OutputStream out) throws IOException;
    }

    /**
     * Refuses an invalid file name, and a file that the command itself needs.
     *
     * @param needed files that the document must not replace
     * @throws java.nio.file.InvalidPathException if the name is invalid
     * @throws IllegalParameterException if it is one of the input files
     */
    public void check(Path... needed) {
        Optional<Path> file = file();
        for (Path other : needed) {
            IllegalParameterException.when(
                    file.isPresent() && SameFile.are(file.get(), other),
                    () -> "--json: the document would take the place of " + other + "; name another file");
        }
    }

    /**
     * Prints a page, or the document, or both.
     *
     * @param command the command's name, for the message of a failure
     * @param status the exit status if all can be written
     * @return the exit status
     */
    public int show(String command, int status, String page, Document document, PrintStream out, PrintStream err) {
        try {
            if (STANDARD_OUTPUT.equals(json)) {
                document.write(out);
                if (out.checkError()) {
                    // Main reports why.
                    return NOT_WRITTEN;
                }
            } else {
                out.print(page);
            }
            Optional<Path> file = file();
            if (file.isPresent()) {
                write(file.get(), document);
            }
        } catch (IOException failure) {
            err.println(command + ": the JSON document could not be written: " + failure);
            err.println("    name a file in a folder that exists and that this user may write to");
            return NOT_WRITTEN;
        }
        return status;
    }

    /** Writes a document to a file, which keeps its content if the document cannot be created. */
    public static void write(Path file, Document document) throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        document.write(whole);
        Files.write(file, whole.toByteArray());
    }

    private Optional<Path> file() {
        return json == null || STANDARD_OUTPUT.equals(json) ? Optional.empty() : Optional.of(Path.of(json));
    }
}
