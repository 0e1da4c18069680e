// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.util.ArrayList;
import java.util.List;

/**
 * Streams whose operations are captured into one graph: the first, and those that have waited for an event of another
 * one. For one thread at a time.
 */
final class StreamCapture {
    private final List<CudaStream> streams = new ArrayList<>();
    private final GraphUses uses = new GraphUses();
    private boolean over;

    void join(CudaStream stream) {
        streams.add(stream);
        stream.captureInto(this);
    }

    GraphUses uses() {
        return uses;
    }

    boolean isOver() {
        return over;
    }

    void end() {
        over = true;
        streams.forEach(stream -> stream.captureInto(null));
    }

    /** The driver has ended it: its streams can be asked again. */
    void ended() {
        streams.forEach(stream -> stream.driverCapture().canBeAsked());
    }
}
