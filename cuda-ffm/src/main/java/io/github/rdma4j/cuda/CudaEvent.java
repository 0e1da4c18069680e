// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.EventCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * A point in the work of a stream, for which others can wait.
 *
 * <p>Thread safety: all methods may be called from any thread. Recording and querying allocate nothing.
 *
 * @since 0.1.0
 */
public final class CudaEvent extends GuardedResource {
    /** The capture in which it was last recorded, or null. */
    private StreamCapture capture;

    private final boolean timing;
    private final boolean interprocess;

    CudaEvent(CudaContext context, long pointer, boolean timing, boolean interprocess) {
        super(context, pointer);
        this.timing = timing;
        this.interprocess = interprocess;
    }

    static CudaEvent create(CudaContext context, EventFlag... flags) {
        for (EventFlag flag : flags) {
            Objects.requireNonNull(flag, "flag");
        }
        List<EventFlag> given = List.of(flags);
        boolean timing = given.contains(EventFlag.TIMING);
        boolean interprocess = given.contains(EventFlag.INTERPROCESS);
        if (timing && interprocess) {
            throw new IllegalArgumentException("an event that other processes use cannot have timing");
        }
        int mask = (timing ? 0 : CudaHeaders.CU_EVENT_DISABLE_TIMING())
                | (interprocess ? CudaHeaders.CU_EVENT_INTERPROCESS() : 0);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = arena.allocate(ValueLayout.JAVA_LONG);
            Results.check(EventCalls.create(event, mask), "cuEventCreate(flags=0x%x)".formatted(mask));
            return new CudaEvent(context, event.get(ValueLayout.JAVA_LONG, 0), timing, interprocess);
        }
    }

    /** Returns the capture in which it was last recorded, or null if that has ended. */
    StreamCapture capture() {
        return capture == null || capture.isEnded() ? null : capture;
    }

    /**
     * Records the work that was submitted to a stream so far (cuEventRecord). Each record replaces the previous one.
     *
     * @param stream of the same context
     * @throws CudaException if it fails, or the stream is of another context
     */
    public void record(CudaStream stream) {
        enter();
        try {
            stream.enter();
            try {
                int result = EventCalls.record(pointer, stream.pointer);
                if (result != Results.SUCCESS) {
                    recordAgain(result, stream);
                }
                capture = stream.capture();
            } finally {
                stream.exit();
            }
        } finally {
            exit();
        }
    }

    private void recordAgain(int first, CudaStream stream) {
        int result = retry(first, () -> EventCalls.record(pointer, stream.pointer));
        if (result != Results.SUCCESS) {
            boolean stranger = stream.context().handle() != context().handle();
            throw Results.failure(
                    result, "cuEventRecord()", stranger ? "the stream and the event are of different contexts" : "");
        }
    }

    /**
     * Returns whether the recorded work is done (cuEventQuery). An event that was never recorded counts as done.
     *
     * @return whether it is
     * @throws CudaException if the call or the work has failed
     */
    public boolean isDone() {
        enter();
        try {
            int result = EventCalls.query(pointer);
            if (result == Results.SUCCESS) {
                return true;
            }
            return isDoneAfter(result);
        } finally {
            exit();
        }
    }

    private boolean isDoneAfter(int first) {
        if (first == CudaHeaders.CUDA_ERROR_NOT_READY()) {
            return false;
        }
        int result = retry(first, () -> EventCalls.query(pointer));
        if (result == CudaHeaders.CUDA_ERROR_NOT_READY()) {
            return false;
        }
        Results.check(result, "cuEventQuery()");
        return true;
    }

    /**
     * Waits until the recorded work is done. Polls with growing pauses.
     *
     * @param timeout the longest wait
     * @return whether it is done; false at the timeout
     * @throws CudaException if the work failed
     * @throws CudaWaitInterruptedException if the thread is interrupted
     */
    public boolean await(Duration timeout) {
        return Waiting.until(this::isDone, timeout, "waiting for a CUDA event");
    }

    /**
     * Returns the time between two events (cuEventElapsedTime), to about half a microsecond.
     *
     * @param start the earlier event; both with {@link EventFlag#TIMING}, and done
     * @return milliseconds
     * @throws IllegalStateException if one of them is not done yet, was never recorded, or belongs to another context
     * @throws IllegalArgumentException if one of them has no timing
     */
    public float millisecondsSince(CudaEvent start) {
        if (!timing || !start.timing) {
            throw new IllegalArgumentException("both events must have been created with EventFlag.TIMING");
        }
        enter();
        try {
            start.enter();
            try {
                return elapsed(start);
            } finally {
                start.exit();
            }
        } finally {
            exit();
        }
    }

    private float elapsed(CudaEvent start) {
        context().bind();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment milliseconds = arena.allocate(ValueLayout.JAVA_FLOAT);
            int result = EventCalls.elapsedTime(milliseconds, start.pointer, pointer);
            if (result == CudaHeaders.CUDA_ERROR_NOT_READY() || result == CudaHeaders.CUDA_ERROR_INVALID_HANDLE()) {
                throw new IllegalStateException(
                        "one of the two events is not done yet, was never recorded, or belongs to another context:"
                                + " record both and wait for them with await(...)");
            }
            Results.check(result, "cuEventElapsedTime()");
            return milliseconds.get(ValueLayout.JAVA_FLOAT, 0);
        }
    }

    /**
     * Returns a handle with which another process on this machine opens this event (cuIpcGetEventHandle). Close the
     * event only after all these processes have closed theirs: otherwise the driver's behaviour is undefined.
     *
     * @return the handle, to be sent to the other process
     * @throws IllegalStateException if the event was created without {@link EventFlag#INTERPROCESS}
     * @throws UnsupportedCudaCallException if the device has no {@link DeviceAttribute#IPC_EVENT_SUPPORTED}
     */
    public IpcEventHandle exportHandle() {
        if (!interprocess) {
            throw new IllegalStateException("only an event made with EventFlag.INTERPROCESS has a handle");
        }
        enter();
        try {
            context().bind();
            return IpcEvents.export(context(), pointer);
        } finally {
            exit();
        }
    }

    @Override
    void release() {
        Results.check(EventCalls.destroy(pointer), "cuEventDestroy()");
    }

    /** {@return its address} */
    @Override
    public String toString() {
        return "CUDA event 0x%x".formatted(pointer);
    }
}
