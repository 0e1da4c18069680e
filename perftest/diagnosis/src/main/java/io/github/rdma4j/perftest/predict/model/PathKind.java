// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.model;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** The paths that data can take. */
public enum PathKind {
    /** From host memory to host memory, by RDMA. */
    HOST("host", "host to host, RDMA"),
    /** From GPU to GPU, by RDMA on the GPUs' own memory. */
    GPUDIRECT("gpudirect", "GPU to GPU, GPUDirect RDMA"),
    /** From GPU to GPU, through host memory on both sides. */
    STAGED("staged", "GPU to GPU, staged through host memory"),
    /** From host memory to host memory, over one TCP connection. */
    TCP("tcp", "host to host, TCP"),
    /** From host memory to GPU memory, within the machine. */
    COPY("copy", "host to GPU, one copy"),
    /** From GPU to GPU, within the machine. */
    NVLINK("nvlink", "GPU to GPU, NVLink"),
    /** From a file to GPU memory without host memory. */
    FILE("file", "file to GPU, direct"),
    /** From a file to GPU memory through host memory. */
    FILE_STAGED("file-staged", "file to GPU, through host memory");

    private final String key;
    private final String title;

    PathKind(String key, String title) {
        this.key = key;
        this.title = title;
    }

    /** Its name on command lines and in documents. */
    public String key() {
        return key;
    }

    /** Returns a description. */
    public String title() {
        return title;
    }

    /** Returns the kind with a key. */
    public static Optional<PathKind> of(String key) {
        return Arrays.stream(values()).filter(kind -> kind.key.equals(key)).findFirst();
    }

    /** All keys, for messages. */
    public static String keys() {
        return Arrays.stream(values()).map(PathKind::key).collect(Collectors.joining(", "));
    }
}
