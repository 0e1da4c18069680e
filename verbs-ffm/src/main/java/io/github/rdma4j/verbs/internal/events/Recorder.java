// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.events;

import jdk.jfr.FlightRecorder;

/**
 * Says whether JDK Flight Recorder runs. It is asked before an event's class is used: the JDK registers an event when
 * its class is loaded, and initializes the recorder for the first one, which takes several times as long as the start
 * of a JVM.
 */
public final class Recorder {
    private Recorder() {}

    /** {@return whether a recording runs, or has run} */
    public static boolean isThere() {
        return FlightRecorder.isInitialized();
    }
}
