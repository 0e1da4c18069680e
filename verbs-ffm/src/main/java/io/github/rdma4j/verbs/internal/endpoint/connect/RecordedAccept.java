// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.connect;

import io.github.rdma4j.verbs.internal.events.EndpointAcceptEvent;
import io.github.rdma4j.verbs.internal.events.Recorder;

/**
 * A client that a server decides on, for the JVM's recorder.
 *
 * @param event null when nobody recorded as the client came
 */
record RecordedAccept(EndpointAcceptEvent event) {
    static RecordedAccept begun() {
        return new RecordedAccept(Recorder.isThere() ? EndpointAcceptEvent.begun() : null);
    }

    /** As {@link EndpointAcceptEvent#over}. */
    void over(Object server, Object endpoint, String failure) {
        if (event != null) {
            event.over(server, endpoint, failure);
        }
    }
}
