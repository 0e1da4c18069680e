// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.gds;

import io.github.rdma4j.gpudirect.storage.StoragePath;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.util.Arrays;
import java.util.stream.Collectors;

/** A measured path. */
enum GdsMethod {
    GDS("gds", StoragePath.GPU_DIRECT),
    COMPATIBLE("compat", StoragePath.COMPATIBLE),
    STAGED("staged", StoragePath.STAGED),
    /** To host memory, past the page cache: the speed of the storage, which staging cannot exceed. */
    DIRECT("direct", null),
    /** To host memory, through the page cache. */
    HOST("host", null);

    private final String word;
    private final StoragePath path;

    GdsMethod(String word, StoragePath path) {
        this.word = word;
        this.path = path;
    }

    static GdsMethod of(String word) {
        return Arrays.stream(values())
                .filter(each -> each.word.equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalParameterException("--methods: '" + word + "' is none of "
                        + Arrays.stream(values()).map(GdsMethod::word).collect(Collectors.joining(", "))));
    }

    String word() {
        return word;
    }

    /** Null for host memory. */
    StoragePath path() {
        return path;
    }
}
