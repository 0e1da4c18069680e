// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.environment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Detects whether the output is a terminal. */
public final class Terminal {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private Terminal() {}

    /**
     * Returns whether both standard output and standard error are terminals. Reads links of the kernel instead of
     * java.io.Console, which also checks standard input and loads slowly.
     */
    public static boolean isInteractive() {
        return isTerminal(1) && isTerminal(2);
    }

    /** Returns whether standard output is a pipe or a socket, whose reader may go when it has read enough. */
    public static boolean isPipe() {
        String target = target(1);
        return target.startsWith("pipe:") || target.startsWith("socket:");
    }

    private static boolean isTerminal(int descriptor) {
        String target = target(descriptor);
        return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
    }

    private static String target(int descriptor) {
        try {
            return Files.readSymbolicLink(DESCRIPTORS.resolve(Integer.toString(descriptor)))
                    .toString();
        } catch (IOException | UnsupportedOperationException _) {
            return "";
        }
    }
}
