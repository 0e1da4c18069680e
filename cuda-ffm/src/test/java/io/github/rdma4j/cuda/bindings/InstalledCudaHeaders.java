// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.bindings;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Where cuda.h is, for tests tagged {@code cuda-headers}. They run only when asked for (scripts/test asks where it
 * finds the headers), and a machine that has none fails them.
 */
public final class InstalledCudaHeaders {
    private InstalledCudaHeaders() {}

    /** The folder of cuda.h. */
    public static Path folder() {
        return Stream.of(
                        System.getProperty("rdma4j.cuda.include"),
                        under(System.getenv("CUDA_HOME")),
                        under("/usr/local/cuda"),
                        under("/usr"))
                .filter(folder -> folder != null && Files.exists(Path.of(folder, "cuda.h")))
                .map(Path::of)
                .findFirst()
                .orElseThrow(() -> new AssertionError(
                        "there is no cuda.h; install the headers of the CUDA toolkit and set CUDA_HOME or"
                                + " -Drdma4j.cuda.include=FOLDER, or leave out the tests tagged cuda-headers"));
    }

    private static String under(String home) {
        return home == null ? null : home + "/include";
    }
}
