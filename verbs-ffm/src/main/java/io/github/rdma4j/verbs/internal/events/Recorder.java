// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.events;

import jdk.jfr.FlightRecorder;

/**
 * Whether the JVM has a recorder. To be asked before an event's class is touched: the JDK registers an event with its
 * class, and sets up the recorder for the first one, which takes several times as long as the start of a JVM.
 */
public final class Recorder {
    private Recorder() {}

    /** {@return whether anybody records, or has recorded} */
    public static boolean isThere() {
        return FlightRecorder.isInitialized();
    }
}
