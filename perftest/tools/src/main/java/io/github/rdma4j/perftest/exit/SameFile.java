// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.exit;

import java.io.IOException;
import java.nio.file.Path;

/** Whether two names are of one file. */
public final class SameFile {
    private SameFile() {}

    /**
     * Returns whether two paths lead to the same file, also through links; missing files are compared by their names.
     */
    public static boolean are(Path one, Path other) {
        return whole(one).equals(whole(other));
    }

    private static Path whole(Path file) {
        try {
            return file.toRealPath();
        } catch (IOException _) {
            return file.toAbsolutePath().normalize();
        }
    }
}
