// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.gpudirect.internal.Undo;
import io.github.rdma4j.gpudirect.storage.bindings.CuFileHeaders;
import io.github.rdma4j.gpudirect.storage.internal.CuFileCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** The chunks of streams, their registrations with cuFile, and the pending transfers of a storage. */
final class StreamStore {
    /** Offsets and sizes are known when a transfer is queued. */
    private static final int FLAGS = CuFileHeaders.CU_FILE_STREAM_FIXED_BUF_OFFSET()
            | CuFileHeaders.CU_FILE_STREAM_FIXED_FILE_OFFSET()
            | CuFileHeaders.CU_FILE_STREAM_FIXED_FILE_SIZE();

    private static final long ARGUMENT_BYTES = 32;

    private final GpuStorage storage;
    private final Map<CudaStream, StreamChunk> chunks = new IdentityHashMap<>();
    private final Map<CudaStream, StreamRegistration> registered = new IdentityHashMap<>();
    private final Object registering = new Object();
    private final List<StreamTransfer> underWay = new ArrayList<>();
    private final List<MemorySegment> arguments = new ArrayList<>();
    private final Arena arena = Arena.ofShared();

    StreamStore(GpuStorage storage) {
        this.storage = storage;
    }

    /**
     * Returns the chunk of a stream, entered: {@link StreamChunk#exit} must follow when the stream has finished with
     * it.
     */
    StreamChunk enterChunk(CudaStream stream) {
        StreamChunk known = enter(stream, null);
        if (known != null) {
            return known;
        }
        // Without the lock: both call the driver, which may wait for the device.
        poll();
        StreamChunk free = takeOver();
        StreamChunk chunk = free != null
                ? free
                : new StreamChunk(storage.context(), storage.config().chunkSize());
        StreamChunk entered;
        try {
            entered = enter(stream, chunk);
        } catch (Error e) {
            Undo.after(e, chunk::close);
            throw e;
        }
        if (entered != chunk) {
            chunk.close();
        }
        return entered;
    }

    /** Returns the chunk of a stream, entered: its existing chunk, or else the given one; null if that is null. */
    private StreamChunk enter(CudaStream stream, StreamChunk chunk) {
        synchronized (chunks) {
            StreamChunk known = chunk == null ? chunks.get(stream) : chunks.putIfAbsent(stream, chunk);
            StreamChunk entered = known != null ? known : chunk;
            if (entered != null) {
                entered.enter();
            }
            return entered;
        }
    }

    /** Returns the chunk of a closed stream that has finished with it, or null. */
    private StreamChunk takeOver() {
        synchronized (chunks) {
            for (CudaStream stream : chunks.keySet()) {
                if (!stream.isOpen() && chunks.get(stream).isIdle()) {
                    return chunks.remove(stream);
                }
            }
            return null;
        }
    }

    /** Registers a stream with cuFile once; the stream's close deregisters it. */
    StreamRegistration register(CudaStream stream, CuFileCalls calls) {
        StreamRegistration known = registration(stream);
        if (known != null) {
            return known;
        }
        // Not under the lock of the map: a stream that is being closed takes it to remove its registration, and must
        // not wait while the driver registers another stream.
        synchronized (registering) {
            known = registration(stream);
            return known != null ? known : registerNow(stream, calls);
        }
    }

    private StreamRegistration registration(CudaStream stream) {
        synchronized (registered) {
            return registered.get(stream);
        }
    }

    private StreamRegistration registerNow(CudaStream stream, CuFileCalls calls) {
        long handle = stream.handle();
        storage.context().makeCurrentForCall();
        CuFileDriver.require(calls.streamRegister(handle, FLAGS), "cuFileStreamRegister(flags=%d)".formatted(FLAGS));
        Runnable deregistration = () -> storage.giveBack(
                () -> CuFileDriver.require(calls.streamDeregister(handle), "cuFileStreamDeregister()"));
        StreamRegistration registration = new StreamRegistration(stream, this, deregistration);
        synchronized (registered) {
            registered.put(stream, registration);
        }
        try {
            stream.addDependent(registration);
        } catch (IllegalStateException e) {
            // Another thread is closing the stream.
            remove(registration);
            Undo.after(e, deregistration::run);
            throw e;
        }
        return registration;
    }

    void remove(StreamRegistration registration) {
        synchronized (registered) {
            registered.remove(registration.stream());
        }
    }

    /** Returns four words that must stay valid until the stream has reached the end of a transfer. */
    MemorySegment takeArguments() {
        synchronized (arguments) {
            return arguments.isEmpty() ? arena.allocate(ARGUMENT_BYTES, Long.BYTES) : arguments.removeLast();
        }
    }

    void giveBack(MemorySegment words) {
        synchronized (arguments) {
            arguments.add(words);
        }
    }

    void add(StreamTransfer transfer) {
        synchronized (underWay) {
            underWay.add(transfer);
        }
    }

    void remove(StreamTransfer transfer) {
        synchronized (underWay) {
            underWay.remove(transfer);
        }
    }

    /** Called before a stream is closed, because it cannot be queried afterwards. */
    void stopFollowing(CudaStream stream) {
        for (StreamTransfer each : underWay()) {
            each.stopFollowing(stream);
        }
    }

    private List<StreamTransfer> underWay() {
        synchronized (underWay) {
            return underWay.isEmpty() ? List.of() : List.copyOf(underWay);
        }
    }

    /**
     * Checks which transfers have ended, so that files and memory can be closed although the program has not queried
     * them.
     */
    void poll() {
        for (StreamTransfer each : underWay()) {
            try {
                each.isDone();
            } catch (RuntimeException e) {
                // The driver does not answer: the transfer counts as unfinished.
                continue;
            }
        }
    }

    /** Called when the files are closed, so that no transfer is pending. */
    void close(Closing closing) {
        List<StreamRegistration> all;
        synchronized (registered) {
            all = List.copyOf(registered.values());
        }
        for (StreamRegistration each : all) {
            each.stream().removeDependent(each);
            closing.close(each);
        }
        List<StreamChunk> allChunks;
        synchronized (chunks) {
            allChunks = List.copyOf(chunks.values());
            chunks.clear();
        }
        // Without the lock: freeing their memory waits for work.
        allChunks.forEach(closing::close);
        synchronized (underWay) {
            if (underWay.isEmpty()) {
                closing.close(arena);
            }
        }
    }
}
