// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Why a file of {@code /dev/infiniband} could not be opened. libibverbs and librdmacm then look for it elsewhere, and
 * report ENOENT for that, whatever the first reason was.
 */
public enum CharacterDevice {
    /** This process can open it: there is another reason. */
    ACCESSIBLE,
    /** There is no such file. */
    MISSING,
    /** This user may not access the file or its directory. */
    FORBIDDEN;

    /**
     * Checks whether this process can open a file.
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
     * Returns the cause in words.
     *
     * @param file the file that could not be opened
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
     * Returns the remedy for {@link #FORBIDDEN}.
     *
     * @param file the file that could not be opened
     * @return the remedy
     */
    public static String giveAccess(Path file) {
        return ("give this user the right to read and write %s: 'ls -l' shows its group, and a udev rule or 'chmod'"
                        + " changes it")
                .formatted(file);
    }
}
