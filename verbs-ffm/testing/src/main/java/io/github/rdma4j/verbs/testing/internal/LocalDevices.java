// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The RDMA devices of this machine that this process can open. In sysfs a container also sees devices that it was not
 * given.
 */
final class LocalDevices {
    private LocalDevices() {}

    static List<String> names() {
        return names(Path.of("/sys"), Path.of("/dev"));
    }

    static List<String> names(Path sys, Path dev) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> devices =
                Files.newDirectoryStream(sys.resolve("class/infiniband_verbs"), "uverbs*")) {
            for (Path device : devices) {
                Path node =
                        dev.resolve("infiniband").resolve(device.getFileName().toString());
                Path name = device.resolve("ibdev");
                if (Files.isReadable(name) && Files.isReadable(node) && Files.isWritable(node)) {
                    names.add(Files.readString(name).strip());
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        } catch (IOException e) {
            throw new IllegalStateException("the RDMA devices of this machine cannot be listed: " + e, e);
        }
        return names;
    }
}
