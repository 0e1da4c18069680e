// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

/**
 * Where an object was closed, as the cause of the exceptions that its later use throws. It is kept if the system
 * property {@value #PROPERTY} is {@code true} when this class is loaded: a stack trace at each close costs some
 * microseconds, and what it refers to stays in memory as long as the closed object.
 */
public final class ClosePlace extends Exception {
    /** The system property that has places kept. */
    public static final String PROPERTY = "io.github.rdma4j.verbs.closePlaces";

    private static final long serialVersionUID = 1L;
    private static final boolean KEPT = Boolean.getBoolean(PROPERTY);

    private ClosePlace(String message) {
        super(message);
    }

    /**
     * The place of a close, to be kept before others see that the object is closed.
     *
     * @param closed what the program closes; what is closed with it has this place, too
     * @return the cause of later exceptions; null if places are not kept
     */
    public static ClosePlace of(Object closed) {
        return KEPT ? new ClosePlace(closed + " was closed here, by " + Thread.currentThread()) : null;
    }
}
