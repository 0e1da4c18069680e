// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import java.nio.file.Files;
import java.nio.file.Path;

/** What the Java tools talk to: the C tools of a version, or themselves. */
enum Peer {
    /** The installed package perftest. */
    C_INSTALLED("4.5"),

    /** The version that scripts/lib/newer-perftest keeps in the cache. */
    C_NEWER("25.01"),

    /** The same tools, in this JVM. */
    JAVA("java");

    private static final String NEWER = "RDMA4J_NEWER_PERFTEST";

    private final String word;

    Peer(String word) {
        this.word = word;
    }

    /** How the list of cells and the page call it. */
    String word() {
        return word;
    }

    /** The command that starts a tool of this version. */
    String command(String tool) {
        if (this != C_NEWER) {
            return tool;
        }
        String folder = System.getenv(NEWER);
        if (folder == null || !Files.isExecutable(Path.of(folder, tool))) {
            throw new AssertionError(NEWER + "=" + folder + " has no " + tool
                    + ": set it to what scripts/lib/newer-perftest prints (scripts/lib/device-tests does)");
        }
        return Path.of(folder, tool).toString();
    }
}
