// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

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
    FORBIDDEN,
    /** This user may access the file, and the kernel does not open it: the control group of a container lacks it. */
    REFUSED;

    /** Opens a file. */
    interface Opening {
        void open(Path file) throws IOException;
    }

    /**
     * Checks whether this process can open a file.
     *
     * @param file below {@code /dev/infiniband}
     * @return the state of the file
     */
    public static CharacterDevice of(Path file) {
        return of(
                file,
                each -> Files.newByteChannel(each, StandardOpenOption.READ, StandardOpenOption.WRITE)
                        .close());
    }

    static CharacterDevice of(Path file, Opening opening) {
        if (Files.notExists(file)) {
            return MISSING;
        }
        if (!Files.isReadable(file) || !Files.isWritable(file)) {
            return FORBIDDEN;
        }
        try {
            opening.open(file);
            return ACCESSIBLE;
        } catch (AccessDeniedException e) {
            return REFUSED;
        } catch (IOException e) {
            return String.valueOf(e.getMessage()).contains("not permitted") ? REFUSED : ACCESSIBLE;
        }
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
            case REFUSED -> "the kernel does not open %s, which this user may read and write".formatted(file);
        };
    }

    /**
     * Returns what to do.
     *
     * @param file the file that could not be opened
     * @return an empty string if it is accessible
     */
    public String remedy(Path file) {
        return switch (this) {
            case ACCESSIBLE -> "";
            case MISSING -> "in a container, pass the devices in (docker run --device=/dev/infiniband ...)";
            case FORBIDDEN ->
                ("give this user the right to read and write %s: 'ls -l' shows its group, and a udev rule or 'chmod'"
                                + " changes it; 'ausearch -m avc' lists what SELinux refused")
                        .formatted(file);
            case REFUSED ->
                "pass it into the container as a device (docker run --device=/dev/infiniband; on Kubernetes a device"
                        + " plugin), not as a volume";
        };
    }
}
