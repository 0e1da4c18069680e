// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file of {@code /dev/infiniband} that could not be opened. libibverbs and librdmacm then look for it elsewhere, and
 * report ENOENT for that, whatever the first reason was.
 */
public enum CharacterDevice {
    /** It can be opened by this process: the reason is another one. */
    ACCESSIBLE,
    /** There is no such file. */
    MISSING,
    /** It, or the folder, is not for this user. */
    FORBIDDEN;

    /**
     * What hinders this process from opening a file.
     *
     * @param file below {@code /dev/infiniband}
     * @return the state of the file
     */
    public static CharacterDevice of(Path file) {
        if (Files.notExists(file)) {
            return MISSING;
        }
        return Files.isReadable(file) && Files.isWritable(file) ? ACCESSIBLE : FORBIDDEN;
    }

    /**
     * The cause in words.
     *
     * @param file that could not be opened
     * @return an empty string if it is accessible
     */
    public String cause(Path file) {
        return switch (this) {
            case ACCESSIBLE -> "";
            case MISSING -> file + " does not exist";
            case FORBIDDEN -> "this user may not read and write " + file;
        };
    }

    /**
     * What helps against {@link #FORBIDDEN}.
     *
     * @param file that could not be opened
     * @return the remedy
     */
    public static String giveAccess(Path file) {
        return ("give this user the right to read and write %s: 'ls -l' tells its group, and a udev rule or 'chmod'"
                        + " changes it")
                .formatted(file);
    }
}
