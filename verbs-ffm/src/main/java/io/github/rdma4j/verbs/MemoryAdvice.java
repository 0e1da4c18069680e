// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;

/**
 * Advice on the use of memory that was registered with {@link AccessFlag#ON_DEMAND}
 * ({@code enum ibv_advise_mr_advice}).
 *
 * @since 0.1.0
 */
public enum MemoryAdvice {
    /** The memory will be read soon: fault its pages in, and map them for the adapter. */
    PREFETCH(RdmaHeaders.IBV_ADVISE_MR_ADVICE_PREFETCH()),
    /** The memory will be written soon: fault its pages in, and map them for the adapter with write access. */
    PREFETCH_WRITE(RdmaHeaders.IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE()),
    /** Map the pages that are present for the adapter; fault none in. */
    PREFETCH_NO_FAULT(RdmaHeaders.IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT());

    private final int code;

    MemoryAdvice(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
