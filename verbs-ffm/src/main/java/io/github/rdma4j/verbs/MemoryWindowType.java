// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;

/**
 * How a {@link MemoryWindow} is bound and revoked ({@code enum ibv_mw_type}).
 *
 * @since 0.1.0
 */
public enum MemoryWindowType {
    /** Bound by a verb, with a remote key that the library chooses. Usable over every queue pair of the domain. */
    TYPE_1(RdmaHeaders.IBV_MW_TYPE_1()),
    /**
     * Bound by a work request, with a remote key that the program chooses. Belongs to one queue pair, and can be
     * invalidated.
     */
    TYPE_2(RdmaHeaders.IBV_MW_TYPE_2());

    private final int code;

    MemoryWindowType(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
