// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;

/**
 * What is told of memory registered with {@link AccessFlag#ON_DEMAND} ({@code enum ibv_advise_mr_advice}).
 *
 * @since 0.1.0
 */
public enum MemoryAdvice {
    /** It will be read soon: bring the pages in and show them to the adapter. */
    PREFETCH(RdmaHeaders.IBV_ADVISE_MR_ADVICE_PREFETCH()),
    /** It will be written soon: the same with the right to write. */
    PREFETCH_WRITE(RdmaHeaders.IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE()),
    /** Show the adapter those pages that are present; bring none in. */
    PREFETCH_NO_FAULT(RdmaHeaders.IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT());

    private final int code;

    MemoryAdvice(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
