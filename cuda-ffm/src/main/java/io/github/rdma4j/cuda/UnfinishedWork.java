// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.ContextCalls;
import io.github.rdma4j.cuda.internal.EventCalls;
import io.github.rdma4j.cuda.internal.Results;
import io.github.rdma4j.cuda.internal.StreamCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The unfinished work of a context's streams. The driver's own waits have no timeout, and its calls that free memory
 * also wait. So code that frees memory first waits here, for events after the queued work, and calls the driver when
 * there is nothing left to wait for.
 *
 * <p>The driver waits for work that cannot be queried here, such as in streams of other libraries that do not wait for
 * the default stream, and for work that another thread queues after the last check.
 */
final class UnfinishedWork {
    /** All open contexts, because streams of each may use memory of the others. */
    private static final Set<CudaContext> OPEN = ConcurrentHashMap.newKeySet();

    /** Returned instead of an event: there is work, but no event after it at present. Query again. */
    static final long LATER = -1;

    /**
     * This stream waits for all streams that were not created with CU_STREAM_NON_BLOCKING; ours were created with it.
     */
    private static final long DEFAULT_STREAM = 0;

    private final CudaContext context;
    /** The streams of the context. A stream that is being closed is removed last. */
    private final Set<CudaStream> streams = ConcurrentHashMap.newKeySet();
    /** Events after the work of streams that were closed before it was done. Guarded by its own monitor. */
    private final List<Long> ends = new ArrayList<>();

    UnfinishedWork(CudaContext context) {
        this.context = context;
    }

    static void opened(CudaContext context) {
        OPEN.add(context);
    }

    static void closed(CudaContext context) {
        OPEN.remove(context);
    }

    /**
     * Waits until all work is done that had been submitted to the streams of a context before this call.
     *
     * @param own the context
     * @param others whether to wait for the streams of all other contexts as well
     * @param deadline by System.nanoTime
     * @return null if all work is done; at the deadline, a context whose work is not done
     */
    static CudaContext await(CudaContext own, boolean others, long deadline) {
        if (!own.unfinishedWork().await(deadline)) {
            return own;
        }
        if (others) {
            for (CudaContext context : OPEN) {
                if (context != own && !context.unfinishedWork().await(deadline)) {
                    return context;
                }
            }
        }
        return null;
    }

    void opened(CudaStream stream) {
        streams.add(stream);
    }

    /** Keeps the event that {@link #mark} returned for a stream, after the stream was destroyed. */
    void keep(long end) {
        if (end == 0) {
            return;
        }
        synchronized (ends) {
            if (makeCurrent()) {
                destroyDone(ends);
            }
            ends.add(end);
        }
    }

    /** Whether no other open object uses the same context. If two are closed at once, either may be the last one. */
    static boolean isLastFor(CudaContext context) {
        return OPEN.stream()
                .noneMatch(each -> each != context && each.pointer == context.pointer && !each.isBeingClosed());
    }

    /** Whether a stream of this context, or of another object for the same one, is being captured. */
    static boolean isCaptured(CudaContext context) {
        for (CudaContext each : OPEN) {
            if (each.pointer == context.pointer
                    && !each.unfinishedWork().streams.stream()
                            .allMatch(stream -> stream.driverCapture().canQuery())) {
                return true;
            }
        }
        return false;
    }

    /** Called when a stream is closed and the event after its work, if any, is kept. */
    void closed(CudaStream stream) {
        streams.remove(stream);
    }

    /**
     * Returns an event after the work of a stream. Returns 0 if all of it is done, or the stream cannot be queried
     * because its context is lost or another thread captures it. Returns {@link #LATER} if the driver refuses the
     * event. The context must be current.
     */
    static long mark(long stream) {
        if (StreamCalls.query(stream) != CudaHeaders.CUDA_ERROR_NOT_READY()) {
            return 0;
        }
        try {
            return record(stream);
        } catch (CudaException _) {
            return LATER;
        }
    }

    /** Records an event after the work of a stream. The context must be current. */
    static long record(long stream) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment made = arena.allocate(ValueLayout.JAVA_LONG);
            Results.check(EventCalls.create(made, CudaHeaders.CU_EVENT_DISABLE_TIMING()), "cuEventCreate()");
            long event = made.get(ValueLayout.JAVA_LONG, 0);
            int result = EventCalls.record(event, stream);
            if (result != Results.SUCCESS) {
                EventCalls.destroy(event);
            }
            Results.check(result, "cuEventRecord()");
            return event;
        }
    }

    private boolean await(long deadline) {
        Marks marks = new Marks();
        try {
            return Waiting.until(marks::areDone, deadline);
        } finally {
            marks.destroy();
        }
    }

    /** Called by the thread that destroys the context, after which no thread waits. */
    void forget() {
        synchronized (ends) {
            destroyAll(ends);
        }
    }

    private void destroyAll(List<Long> events) {
        if (!events.isEmpty() && makeCurrent()) {
            events.forEach(EventCalls::destroy);
        }
        events.clear();
    }

    /** Whether the work of streams that were closed early is done. */
    private boolean endsAreDone() {
        synchronized (ends) {
            // Set after taking the lock, because a virtual thread that waited may be on another carrier.
            if (ends.isEmpty() || !makeCurrent()) {
                return true;
            }
            destroyDone(ends);
            return ends.isEmpty();
        }
    }

    private static void destroyDone(List<Long> events) {
        events.removeIf(event -> {
            boolean done = EventCalls.query(event) != CudaHeaders.CUDA_ERROR_NOT_READY();
            if (done) {
                EventCalls.destroy(event);
            }
            return done;
        });
    }

    /**
     * Works even while the context is being closed. Returns false if the context was destroyed, so that nothing can be
     * queried.
     */
    private boolean makeCurrent() {
        return ContextCalls.setCurrent(context.pointer) == Results.SUCCESS;
    }

    /** The events of one wait. */
    private final class Marks {
        /** Streams without an event so far. */
        private final List<CudaStream> unmarked = new ArrayList<>(streams);

        private final List<Long> events = new ArrayList<>();

        private boolean defaultStreamIsMarked;

        /** Sets the context each time, because a pause may have moved a virtual thread to another carrier. */
        boolean areDone() {
            // Another thread may destroy the context, and our events with it.
            if (!context.tryEnter()) {
                events.clear();
                return true;
            }
            try {
                return !makeCurrent() || poll();
            } finally {
                context.exit();
            }
        }

        private boolean poll() {
            if (!defaultStreamIsMarked) {
                defaultStreamIsMarked = add(mark(DEFAULT_STREAM));
            }
            unmarked.removeIf(this::isMarked);
            destroyDone(events);
            return defaultStreamIsMarked && unmarked.isEmpty() && events.isEmpty() && endsAreDone();
        }

        /** A stream that is being closed is checked again: the event after its work is about to be kept. */
        private boolean isMarked(CudaStream stream) {
            if (!streams.contains(stream)) {
                return true;
            }
            if (!stream.tryEnter()) {
                return false;
            }
            try {
                return add(stream.driverCapture().mark());
            } finally {
                stream.exit();
            }
        }

        /** Adds the result of {@link #mark}. Returns false if it must be called again. */
        private boolean add(long event) {
            if (event == LATER) {
                return false;
            }
            if (event != 0) {
                events.add(event);
            }
            return true;
        }

        void destroy() {
            if (context.tryEnter()) {
                try {
                    destroyAll(events);
                } finally {
                    context.exit();
                }
            }
        }
    }
}
