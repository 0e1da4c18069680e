// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import io.github.rdma4j.verbs.internal.ExclusiveGuard;

/**
 * Finds completions in a ring from Java. Threads that poll at once take turns, as they do in the library's function,
 * which has a lock.
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
