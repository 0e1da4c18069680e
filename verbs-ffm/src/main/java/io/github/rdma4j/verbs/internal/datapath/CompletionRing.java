// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import io.github.rdma4j.verbs.internal.ExclusiveGuard;

/**
 * Completions that Java finds in a ring itself. Threads that poll at once take turns, as they do in the library's
 * function, which has a lock for it.
 */
public abstract sealed class CompletionRing extends CompletionPath permits RxeCompletionRing, Mlx5CompletionRing {
    private final ExclusiveGuard turns = new ExclusiveGuard();

    CompletionRing() {}

    @Override
    public final boolean enter() {
        return turns.enter();
    }

    @Override
    public final void exit() {
        turns.exit();
    }

    @Override
    public final void close() {
        turns.close();
    }

    @Override
    public final void reopen() {
        turns.reopen();
    }
}
