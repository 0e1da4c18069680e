// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The peer of the Java tools: the C tools of a version, or the Java tools themselves. */
enum Peer {
    /** The installed package perftest. */
    C_INSTALLED("4.5"),

    /** The version that scripts/lib/newer-perftest keeps in the cache. */
    C_NEWER("25.01"),

    /** A build of the newest source, where RDMA4J_BUILT_PERFTEST names the folder of its tools: it is in no package. */
    C_BUILT("26.04"),

    /** The same tools, in this JVM. */
    JAVA("java");

    private static final String NEWER = "RDMA4J_NEWER_PERFTEST";
    private static final String BUILT = "RDMA4J_BUILT_PERFTEST";

    private final String word;

    Peer(String word) {
        this.word = word;
    }

    /** The tools that each of our machines has: the installed C tools, the cached C tools, and ours. */
    static List<Peer> listed() {
        return List.of(C_INSTALLED, C_NEWER, JAVA);
    }

    /** The versions of C that are there. */
    static List<Peer> ofC() {
        return System.getenv(BUILT) == null ? List.of(C_INSTALLED, C_NEWER) : List.of(C_INSTALLED, C_NEWER, C_BUILT);
    }

    /** Its name in the list of cells and on the page. */
    String word() {
        return word;
    }

    /** The command that starts a tool of this version. */
    String command(String tool) {
        if (this != C_NEWER && this != C_BUILT) {
            return tool;
        }
        String variable = this == C_NEWER ? NEWER : BUILT;
        String folder = System.getenv(variable);
        if (folder == null || !Files.isExecutable(Path.of(folder, tool))) {
            throw new AssertionError(variable + "=" + folder + " has no " + tool
                    + ": set it to what scripts/lib/newer-perftest prints (scripts/lib/device-tests does)");
        }
        return Path.of(folder, tool).toString();
    }
}
