// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Finds programs. */
public final class SearchPath {
    private SearchPath() {}

    /** Returns the folders of the PATH, in order. */
    public static List<Path> ofThisProcess() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .filter(folder -> !folder.isEmpty())
                .map(Path::of)
                .toList();
    }

    /** Returns the folder or, if it is null, the folders of the PATH. */
    public static List<Path> of(Path folder) {
        return folder == null ? ofThisProcess() : List.of(folder);
    }
}
