// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.HostMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Pinned memory of a context, kept for later channels when a channel is closed. Freeing it at once would wait for all
 * work of the context, which includes streams that wait for another channel. The context frees it.
 *
 * <p>Thread safety: all methods may be called from any thread.
 */
final class ContextStore implements AutoCloseable {
    private static final ConcurrentHashMap<CudaContext, ContextStore> ALL = new ConcurrentHashMap<>();

    private final CudaContext context;
    private final FollowFlags followFlags;
    private final List<Staging> unused = new ArrayList<>();
    /** Memory left over when the rest of a staging could not be created. */
    private final List<HostMemory> unusedChunks = new ArrayList<>();

    private final List<HostMemory> unusedWords = new ArrayList<>();

    private ContextStore(CudaContext context) {
        this.context = context;
        this.followFlags = new FollowFlags(context);
    }

    /**
     * Returns the store of a context. Takes no lock: it would be taken before the context's lock here, and after it
     * when the context closes the store.
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

    /** Returns chunks with an idle stream. */
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

    /** Takes chunks back. Their copies are complete. */
    void giveBack(Staging staging) {
        synchronized (unused) {
            unused.add(staging);
        }
    }

    /** Returns words for a stream channel. Streams of an earlier channel may still wait for a word until it changes. */
    HostMemory takeWords(long bytes) {
        return take(unusedWords, bytes);
    }

    /** Takes words back. No stream writes to them any more. */
    void giveBackWords(HostMemory words) {
        synchronized (unusedWords) {
            unusedWords.add(words);
        }
    }

    /** Called by the context, which then frees the memory. */
    @Override
    public void close() {
        ALL.remove(context, this);
    }
}
