// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The folder that tests may read and change: the git work tree of the current folder, or else that folder; never one
 * that holds more than a project.
 */
final class Project {
    private Project() {}

    static Path current() {
        return Path.of("").toAbsolutePath();
    }

    static Optional<Path> folder(Path current, Path home) {
        Path folder = current;
        while (folder != null && !Files.exists(folder.resolve(".git"))) {
            folder = folder.getParent();
        }
        Path project = folder == null ? current : folder;
        boolean holdsMore = project.getNameCount() < 2
                || home.startsWith(project)
                || project.startsWith("/usr")
                || project.startsWith("/etc");
        return holdsMore ? Optional.empty() : Optional.of(project);
    }
}
