// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

/**
 * The part of a test of {@link ThreadBias} that makes an actor the owner: it takes as many turns as an owner must, and
 * then lets the other actor begin, which revokes the ownership.
 */
abstract class OwnerState {
    /** Long enough for the other actor to come in between. */
    static final int PAUSES = 8;

    /** Guarded by what is tested. */
    int count;

    private volatile boolean owned;

    /** Enters and leaves. */
    abstract void takeTurn();

    final void becomeOwner() {
        for (int i = 0; i < ThreadBias.TURNS_OF_AN_OWNER; i++) {
            takeTurn();
        }
        owned = true;
    }

    /** Bounded, in case the owner's actor has not begun. */
    final void awaitOwner() {
        for (int i = 0; i < 1_000_000 && !owned; i++) {
            Thread.onSpinWait();
        }
    }

    /** Adds one to the count, in two steps. Called inside. */
    final void addInside() {
        int seen = count;
        pause();
        count = seen + 1;
    }

    static void pause() {
        for (int i = 0; i < PAUSES; i++) {
            Thread.onSpinWait();
        }
    }
}
