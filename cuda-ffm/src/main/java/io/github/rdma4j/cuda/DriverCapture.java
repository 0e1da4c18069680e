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
    private final Object asking = new Object();
    /** Whether the driver captures it. Guarded by the lock. */
    private boolean unaskable;
    /** An event behind what it was given before its last capture; 0 if it was never captured. Guarded as well. */
    private long before;

    DriverCapture(CudaStream stream) {
        this.stream = stream;
    }

    /** An event stands for the earlier work, because the stream cannot be queried during a capture. */
    void begin(Runnable call) {
        synchronized (asking) {
            stream.context().bind();
            if (before == 0) {
                before = UnfinishedWork.record(stream.pointer);
            } else {
                Results.check(EventCalls.record(before, stream.pointer), "cuEventRecord()");
            }
            call.run();
            unaskable = true;
        }
    }

    void canBeAsked() {
        synchronized (asking) {
            unaskable = false;
        }
    }

    boolean isAskable() {
        synchronized (asking) {
            return !unaskable;
        }
    }

    /** {@link UnfinishedWork#mark}; {@link UnfinishedWork#LATER} while what was before a capture is not done. */
    long mark() {
        synchronized (asking) {
            // Only now: a virtual thread that waited for the lock may be on another carrier.
            if (ContextCalls.setCurrent(stream.context().pointer) != Results.SUCCESS) {
                return 0;
            }
            if (!unaskable) {
                return UnfinishedWork.mark(stream.pointer);
            }
            return EventCalls.query(before) == CudaHeaders.CUDA_ERROR_NOT_READY() ? UnfinishedWork.LATER : 0;
        }
    }

    /** The graph of what was captured. */
    CudaGraph end(StreamCapture captured) {
        stream.enter();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment graph = arena.allocate(ValueLayout.JAVA_LONG);
            int first = GraphCalls.endCapture(stream.pointer, graph);
            int result = stream.again(first, () -> GraphCalls.endCapture(stream.pointer, graph));
            if (result != Results.SUCCESS) {
                giveUp();
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

    /** So that the stream can be used again. A capture that is over already is refused, which is as good. */
    void giveUp() {
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
                // Else the stream would go on capturing what it is given, and nobody would know.
                result = GraphCalls.endCapture(stream.pointer, graph);
            }
            if (result == Results.SUCCESS && graph.get(ValueLayout.JAVA_LONG, 0) != 0) {
                GraphCalls.destroy(graph.get(ValueLayout.JAVA_LONG, 0));
            }
        }
    }

    /** Of a stream that closes: leaves an event behind its work, and ends its capture; false to try again. */
    boolean leavesEnd() {
        long end;
        synchronized (asking) {
            if (unaskable) {
                end = before;
                before = 0;
                if (ContextCalls.setCurrent(stream.context().pointer) == Results.SUCCESS) {
                    drop();
                }
                unaskable = false;
            } else {
                end = mark();
            }
        }
        if (end != UnfinishedWork.LATER) {
            stream.context().unfinishedWork().keep(end);
        }
        return end != UnfinishedWork.LATER;
    }

    /** Of a stream that is closed. */
    void release() {
        if (before != 0) {
            EventCalls.destroy(before);
        }
    }
}
