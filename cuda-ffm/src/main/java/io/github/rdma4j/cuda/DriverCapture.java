// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.ContextCalls;
import io.github.rdma4j.cuda.internal.EventCalls;
import io.github.rdma4j.cuda.internal.GraphCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The driver's state of a stream's capture. Querying a stream that is being captured invalidates the capture, on any
 * thread. So an event from before the capture reports the state of its earlier work, and this lock is held during calls
 * that query a stream or begin its capture. {@link StreamCapture} is the program's state.
 */
final class DriverCapture {
    private final CudaStream stream;
    private final Object queryLock = new Object();
    /** Whether the driver captures the stream. Guarded by the lock. */
    private boolean beingCaptured;
    /** An event after the stream's work before its last capture; 0 if it was never captured. Guarded by the lock. */
    private long before;

    DriverCapture(CudaStream stream) {
        this.stream = stream;
    }

    /**
     * Begins a capture. An event represents the earlier work, because the stream cannot be queried during a capture.
     */
    void begin(Runnable call) {
        synchronized (queryLock) {
            stream.context().bind();
            if (before == 0) {
                before = UnfinishedWork.record(stream.pointer);
            } else {
                Results.check(EventCalls.record(before, stream.pointer), "cuEventRecord()");
            }
            call.run();
            beingCaptured = true;
        }
    }

    void captureEnded() {
        synchronized (queryLock) {
            beingCaptured = false;
        }
    }

    boolean canQuery() {
        synchronized (queryLock) {
            return !beingCaptured;
        }
    }

    /**
     * Returns {@link UnfinishedWork#mark}, or {@link UnfinishedWork#LATER} while work from before a capture is not
     * done.
     */
    long mark() {
        synchronized (queryLock) {
            // Set after taking the lock, because a virtual thread that waited may be on another carrier.
            if (ContextCalls.setCurrent(stream.context().pointer) != Results.SUCCESS) {
                return 0;
            }
            if (!beingCaptured) {
                return UnfinishedWork.mark(stream.pointer);
            }
            return EventCalls.query(before) == CudaHeaders.CUDA_ERROR_NOT_READY() ? UnfinishedWork.LATER : 0;
        }
    }

    /** Ends the capture, and returns its graph. */
    CudaGraph end(StreamCapture captured) {
        stream.enter();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment graph = arena.allocate(ValueLayout.JAVA_LONG);
            int first = GraphCalls.endCapture(stream.pointer, graph);
            int result = stream.retry(first, () -> GraphCalls.endCapture(stream.pointer, graph));
            if (result != Results.SUCCESS) {
                abandon();
                throw Results.failure(result, "cuStreamEndCapture()", CudaGraph.captureRemedy(result));
            }
            return graphOf(graph.get(ValueLayout.JAVA_LONG, 0), captured);
        } finally {
            stream.exit();
        }
    }

    private CudaGraph graphOf(long graph, StreamCapture captured) {
        CudaContext context = stream.context();
        boolean made = false;
        try {
            CudaGraph result = context.create(() -> new CudaGraph(context, graph, captured.uses()));
            made = true;
            return result;
        } finally {
            if (!made) {
                GraphCalls.destroy(graph);
            }
        }
    }

    /**
     * Ends a capture whose graph is not needed, so that the stream can be used again. A capture that has already ended
     * is ignored.
     */
    void abandon() {
        if (!stream.tryEnter()) {
            return;
        }
        try {
            drop();
        } finally {
            stream.exit();
        }
    }

    private void drop() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment graph = arena.allocate(ValueLayout.JAVA_LONG);
            int result = GraphCalls.endCapture(stream.pointer, graph);
            if (result != Results.SUCCESS) {
                // Otherwise the stream would keep capturing its work, without notice.
                result = GraphCalls.endCapture(stream.pointer, graph);
            }
            if (result == Results.SUCCESS && graph.get(ValueLayout.JAVA_LONG, 0) != 0) {
                GraphCalls.destroy(graph.get(ValueLayout.JAVA_LONG, 0));
            }
        }
    }

    /**
     * Called when the stream is closed: records an event after its work, and ends its capture. Returns false to try
     * again.
     */
    boolean recordEnd() {
        long end;
        synchronized (queryLock) {
            if (beingCaptured) {
                end = before;
                before = 0;
                if (ContextCalls.setCurrent(stream.context().pointer) == Results.SUCCESS) {
                    drop();
                }
                beingCaptured = false;
            } else {
                end = mark();
            }
        }
        if (end != UnfinishedWork.LATER) {
            stream.context().unfinishedWork().keep(end);
        }
        return end != UnfinishedWork.LATER;
    }

    /** Called when the stream is closed. */
    void release() {
        if (before != 0) {
            EventCalls.destroy(before);
        }
    }
}
