// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the checkout is that the tests run in. */
public final class Project {
    private Project() {}

    /** {@return the folder of the whole project} */
    public static Path folder() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("native-headers"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    /**
     * A page of the documentation.
     *
     * @param name of its file
     * @return the file
     */
    public static Path page(String name) {
        return folder().resolve("docs").resolve(name);
    }
}
