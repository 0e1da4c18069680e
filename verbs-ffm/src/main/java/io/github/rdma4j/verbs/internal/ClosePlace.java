// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

/**
 * The place where an object was closed, as the cause of exceptions from later use. It is recorded if the system
 * property {@value #PROPERTY} is {@code true} when this class is loaded: a stack trace at each close costs some
 * microseconds, and the objects that it references stay in memory as long as the closed object.
 */
public final class ClosePlace extends Exception {
    /** The system property that turns the recording on. */
    public static final String PROPERTY = "io.github.rdma4j.verbs.closePlaces";

    private static final long serialVersionUID = 1L;
    private static final boolean KEPT = Boolean.getBoolean(PROPERTY);

    private ClosePlace(String message) {
        super(message);
    }

    /**
     * Records the place of a close. Called before other threads can see that the object is closed.
     *
     * @param closed the object that the program closes; objects that are closed with it have the same place
     * @return the cause of later exceptions; null if places are not recorded
     */
    public static ClosePlace of(Object closed) {
        return KEPT ? new ClosePlace(closed + " was closed here, by " + Thread.currentThread()) : null;
    }
}
