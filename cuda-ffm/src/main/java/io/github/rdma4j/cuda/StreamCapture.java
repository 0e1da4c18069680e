// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.util.ArrayList;
import java.util.List;

/**
 * The streams that are captured into one graph: the first one, and streams that have waited for an event of another
 * one. For one thread at a time.
 */
final class StreamCapture {
    private final List<CudaStream> streams = new ArrayList<>();
    private final GraphUses uses = new GraphUses();
    private boolean ended;

    void join(CudaStream stream) {
        streams.add(stream);
        stream.captureInto(this);
    }

    GraphUses uses() {
        return uses;
    }

    boolean isEnded() {
        return ended;
    }

    void end() {
        ended = true;
        streams.forEach(stream -> stream.captureInto(null));
    }

    /** Called when the driver has ended the capture: its streams can be queried again. */
    void driverEnded() {
        streams.forEach(stream -> stream.driverCapture().captureEnded());
    }
}
