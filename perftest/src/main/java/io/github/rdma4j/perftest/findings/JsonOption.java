// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.findings;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The option {@code --json} of commands that print a page, and what it asks for. */
public final class JsonOption {
    /** The exit status of a command whose document could not be written. */
    public static final int NOT_WRITTEN = 4;

    private static final String STANDARD_OUTPUT = "-";

    @Option(
            names = "--json",
            arity = "0..1",
            fallbackValue = STANDARD_OUTPUT,
            paramLabel = "<file>",
            description =
                    "Write what was found as JSON too, to this file; without a file, to standard output and nothing"
                            + " else.")
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
     * Refuses a name that no file can have.
     *
     * @throws java.nio.file.InvalidPathException if it is one
     */
    public void check() {
        file();
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
            } else {
                out.print(page);
            }
            Optional<Path> file = file();
            if (file.isPresent()) {
                try (OutputStream stream = Files.newOutputStream(file.get())) {
                    document.write(stream);
                }
            }
        } catch (IOException failure) {
            err.println(command + ": the JSON document could not be written: " + failure);
            err.println("    name a file in a folder that exists and that this user may write to");
            return NOT_WRITTEN;
        }
        return status;
    }

    private Optional<Path> file() {
        return json == null || STANDARD_OUTPUT.equals(json) ? Optional.empty() : Optional.of(Path.of(json));
    }
}
