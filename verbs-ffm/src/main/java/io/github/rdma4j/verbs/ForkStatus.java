// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * Whether registered memory survives a fork(2) of the process ({@code enum ibv_fork_status}).
 *
 * @since 0.1.0
 */
public enum ForkStatus {
    /** It does not: after a fork, the parent's writes can go to pages that the adapter does not use. */
    DISABLED,
    /** It does, since {@link ForkSupport#enable()} was called. */
    ENABLED,
    /** It does without support: the kernel (5.12 and later) gives the child copies of pinned pages. */
    UNNEEDED;

    static ForkStatus ofCode(int code) {
        if (code < 0 || code >= values().length) {
            throw new AssertionError("ibv_is_fork_initialized returned " + code);
        }
        return values()[code];
    }
}
