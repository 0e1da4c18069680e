// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Why a device file could not be opened. */
class CharacterDeviceTest {
    @TempDir
    private Path root;

    /** As for a container that has /dev/infiniband as a volume: its control group refuses the device. */
    @Test
    void deviceThatTheControlGroupLacksIsRefused() throws IOException {
        Path file = Files.createFile(root.resolve("uverbs0"));
        String name = file.toString();
        assertThat(CharacterDevice.of(file)).isEqualTo(CharacterDevice.ACCESSIBLE);
        assertThat(opening(file, new FileSystemException(name, null, "Operation not permitted")))
                .isEqualTo(CharacterDevice.REFUSED);
        assertThat(opening(file, new AccessDeniedException(name))).isEqualTo(CharacterDevice.REFUSED);
        assertThat(opening(file, new FileSystemException(name, null, "Too many open files")))
                .isEqualTo(CharacterDevice.ACCESSIBLE);
        assertThat(CharacterDevice.of(root.resolve("uverbs1"))).isEqualTo(CharacterDevice.MISSING);
        assertThat(CharacterDevice.REFUSED.cause(file)).contains(name);
        assertThat(CharacterDevice.REFUSED.remedy(file)).contains("--device=/dev/infiniband", "not as a volume");
    }

    private static CharacterDevice opening(Path file, IOException failure) {
        return CharacterDevice.of(file, each -> {
            throw failure;
        });
    }
}
