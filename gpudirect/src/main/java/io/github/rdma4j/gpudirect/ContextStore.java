// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.HostMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Pinned memory of a context that outlives the channels which use it. Freeing pinned memory waits for all work of the
 * context, and so for streams that wait for another channel: what has no user is kept for the next one, and goes with
 * the context.
 *
 * <p>Thread safety: all methods may be called from any thread.
 */
final class ContextStore implements AutoCloseable {
    private static final ConcurrentHashMap<CudaContext, ContextStore> ALL = new ConcurrentHashMap<>();

    private final CudaContext context;
    private final FollowFlags followFlags;
    private final List<Staging> unused = new ArrayList<>();
    /** Of stagings that could not be made. */
    private final List<HostMemory> unusedChunks = new ArrayList<>();

    private final List<HostMemory> unusedWords = new ArrayList<>();

    private ContextStore(CudaContext context) {
        this.context = context;
        this.followFlags = new FollowFlags(context);
    }

    /**
     * The one of a context. Without a lock of its own: the context's is taken within, and its close comes here with
     * that lock held.
     *
     * @throws IllegalStateException if the context is closed
     */
    static ContextStore of(CudaContext context) {
        ContextStore made = new ContextStore(context);
        ContextStore first = ALL.putIfAbsent(context, made);
        if (first != null) {
            return first;
        }
        try {
            context.addDependent(made);
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
        return made;
    }

    FollowFlags followFlags() {
        return followFlags;
    }

    /** Chunks with a stream that has nothing to do. */
    Staging take(int chunkSize, int count) {
        synchronized (unused) {
            for (int i = 0; i < unused.size(); i++) {
                if (unused.get(i).fits(chunkSize, count)) {
                    return unused.remove(i);
                }
            }
        }
        HostMemory memory = take(unusedChunks, (long) chunkSize * count);
        try {
            return Staging.make(context, memory, chunkSize, count);
        } catch (RuntimeException | Error e) {
            synchronized (unusedChunks) {
                unusedChunks.add(memory);
            }
            throw e;
        }
    }

    private HostMemory take(List<HostMemory> unused, long bytes) {
        synchronized (unused) {
            for (int i = 0; i < unused.size(); i++) {
                if (unused.get(i).size() == bytes) {
                    return unused.remove(i);
                }
            }
        }
        return context.allocateHost(bytes);
    }

    /** Their copies are over. */
    void giveBack(Staging staging) {
        synchronized (unused) {
            unused.add(staging);
        }
    }

    /** Words for a stream channel. A stream of an earlier one may still wait for them, for no longer than they take. */
    HostMemory takeWords(long bytes) {
        return take(unusedWords, bytes);
    }

    /** No stream will write to them. */
    void giveBackWords(HostMemory words) {
        synchronized (unusedWords) {
            unusedWords.add(words);
        }
    }

    /** Called by the context, which frees what is kept here. */
    @Override
    public void close() {
        ALL.remove(context, this);
    }
}
