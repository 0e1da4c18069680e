// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.connect;

import io.github.rdma4j.verbs.internal.events.EndpointAcceptEvent;
import io.github.rdma4j.verbs.internal.events.Recorder;

/**
 * A client on which a server decides, for JDK Flight Recorder.
 *
 * @param event null if no recording was running when the client connected
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
