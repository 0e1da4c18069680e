// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The udev database of block devices. cuFile reads the attributes of a file's volume from it, and refuses files of a
 * volume without attributes, even in compatibility mode. Containers and microVMs have no such database.
 */
public final class UdevDatabase {
    /** The remedy for missing attributes. */
    public static final String REMEDY =
            "in a container, mount the machine's /run/udev read-only; elsewhere, check that systemd-udevd or"
                    + " another udev runs";

    private static final String PROPERTY = "E:ID_FS_USAGE=";

    private UdevDatabase() {}

    /**
     * Returns why cuFile would not find the attributes of a volume.
     *
     * @param root the root of the file system
     * @param device numbers such as {@code 254:0}
     * @return the reason in words; empty if it finds them
     */
    public static Optional<String> missing(Path root, String device) {
        String file = "run/udev/data/b" + device;
        try {
            String text = Files.readString(root.resolve(file), StandardCharsets.UTF_8);
            return text.lines().anyMatch(line -> line.startsWith(PROPERTY))
                    ? Optional.empty()
                    : Optional.of("/" + file + " has no ID_FS_USAGE");
        } catch (NoSuchFileException _) {
            return Optional.of("there is no /" + file);
        } catch (IOException _) {
            return Optional.of("/" + file + " cannot be read");
        }
    }

    /**
     * Returns the numbers of the device that contains a file.
     *
     * @param file an existing file
     * @return such as {@code 254:0}
     * @throws IOException if the file's attributes cannot be read
     */
    public static String deviceOf(Path file) throws IOException {
        long device = ((Number) Files.getAttribute(file, "unix:dev")).longValue();
        // The same bits as in the C library's macros major and minor.
        long major = device >> 8 & 0xfff | device >> 32 & ~0xfffL;
        long minor = device & 0xff | device >> 12 & 0xffffff00L;
        return major + ":" + minor;
    }
}
