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
 * The unfinished work of a context's streams. The driver's own waits have no limit, and its calls that free memory also
 * wait. So code that frees memory first waits here, for events behind the queued work, and calls the driver when there
 * is nothing left to wait for.
 *
 * <p>What cannot be asked, such as the streams of other libraries that do not wait for the default stream, is left to
 * the driver. So is what another thread queues after the last look.
 */
final class UnfinishedWork {
    /** Streams of any of them may use memory of any other. */
    private static final Set<CudaContext> OPEN = ConcurrentHashMap.newKeySet();

    /** A marker instead of an event: there is work, but no event behind it at present. Query again. */
    static final long LATER = -1;

    /** Waits for the work of all streams but those that are made with CU_STREAM_NON_BLOCKING, as ours are. */
    private static final long DEFAULT_STREAM = 0;

    private final CudaContext context;
    /** Those whose handles are valid, or were a moment ago: one that is being closed is among them to the last. */
    private final Set<CudaStream> streams = ConcurrentHashMap.newKeySet();
    /** Events behind the work of streams that were closed before it was done. Guarded by its own monitor. */
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
     * Waits until all is done that the streams of a context had been given when it was called.
     *
     * @param own whose streams
     * @param others whether streams of all other contexts count as well
     * @param deadline by System.nanoTime
     * @return null if it is done; if the deadline is over first, the context whose streams have not done it
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

    /** Keeps what {@link #mark} gave for a stream, after that was destroyed. */
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

    /** Whether no other object will keep the same context: of two that are closed at once either may be the last. */
    static boolean isLastFor(CudaContext context) {
        return OPEN.stream()
                .noneMatch(each -> each != context && each.pointer == context.pointer && !each.isBeingClosed());
    }

    /** Whether a stream of this context, or of another object for the same one, is being captured. */
    static boolean isCaptured(CudaContext context) {
        for (CudaContext each : OPEN) {
            if (each.pointer == context.pointer
                    && !each.unfinishedWork().streams.stream()
                            .allMatch(stream -> stream.driverCapture().isAskable())) {
                return true;
            }
        }
        return false;
    }

    /** When its end is kept, if it has one. */
    void closed(CudaStream stream) {
        streams.remove(stream);
    }

    /**
     * An event behind what a stream has been given; 0 if all of it is done, or the stream cannot be asked: then its
     * context is lost, or somebody else captures it; {@link #LATER} if the driver refuses the event. The context is
     * current.
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

    /** An event behind what a stream has been given. The context is current. */
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

    /** For the thread that destroys the context: nobody waits any more. */
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

    /** Whether the streams that were closed before their work was done have done it. */
    private boolean endsAreDone() {
        synchronized (ends) {
            // Only now: a virtual thread that waited for the lock may be on another carrier.
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

    /** Also while the context is being closed. False if somebody has destroyed it: then nothing can be asked. */
    private boolean makeCurrent() {
        return ContextCalls.setCurrent(context.pointer) == Results.SUCCESS;
    }

    /** One wait's events. */
    private final class Marks {
        /** Streams whose event is not known yet. */
        private final List<CudaStream> unmarked = new ArrayList<>(streams);

        private final List<Long> events = new ArrayList<>();

        private boolean defaultStreamIsMarked;

        /** A pause may have moved a virtual thread to another carrier, so each look sets the context. */
        boolean areDone() {
            // Another thread may destroy the context, and our events with it.
            if (!context.tryEnter()) {
                events.clear();
                return true;
            }
            try {
                return !makeCurrent() || look();
            } finally {
                context.exit();
            }
        }

        private boolean look() {
            if (!defaultStreamIsMarked) {
                defaultStreamIsMarked = add(mark(DEFAULT_STREAM));
            }
            unmarked.removeIf(this::isMarked);
            destroyDone(events);
            return defaultStreamIsMarked && unmarked.isEmpty() && events.isEmpty() && endsAreDone();
        }

        /** One that is being closed is looked at again: its end comes among the others' in a moment. */
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

        /** Takes what {@link #mark} gave; false if that must be asked again. */
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
