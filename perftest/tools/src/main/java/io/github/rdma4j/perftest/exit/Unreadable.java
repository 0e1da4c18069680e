// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.exit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Explains why a file from a command line cannot be used. */
public final class Unreadable {
    private static final Pattern NO_FIGURE = Pattern.compile("token '(inf|nan)|\\('[in]'.*follow minus sign");

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

    /** Returns why a text is not JSON, in a few words. */
    public static String json(JsonProcessingException failure) {
        // The library adds the start marker in brackets, which helps its developers but does not show where the file is
        // cut.
        return failure instanceof JsonEOFException
                ? "the file ends in the middle: it was cut, or is still being written"
                : failure.getOriginalMessage()
                        .lines()
                        .findFirst()
                        .orElse("")
                        .replaceFirst(" ?\\(start marker at .*", "");
    }

    /** Returns what C's tools have to do with a text that is not JSON; empty if nothing. */
    public static String jsonOfC(JsonProcessingException failure) {
        String message = failure.getOriginalMessage();
        if (NO_FIGURE.matcher(message).find()) {
            return "C's tools write inf or nan for a figure that they could not calculate: measure again";
        }
        return message.contains("expecting double-quote to start field name")
                ? "C's tools write valid JSON from wire version 6.17 (perftest 23.10) on"
                : "";
    }
}
