// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.exit;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Explains why a file from a command line cannot be read. */
public final class Unreadable {
    private Unreadable() {}

    /**
     * Returns the explanation. The message of the exception is mostly only the name of the file.
     *
     * @param file the file
     * @param failure the exception from reading it
     * @return a sentence with the file's name
     */
    public static String sentence(Path file, IOException failure) {
        if (Files.isDirectory(file)) {
            return file + " cannot be read: it is a folder";
        }
        return switch (failure) {
            case NoSuchFileException _ -> file + " does not exist";
            case AccessDeniedException _ -> file + " cannot be read: this user may not";
            case CharacterCodingException _ -> file + " is no text in UTF-8";
            default -> file + " cannot be read: " + failure.getMessage();
        };
    }
}
