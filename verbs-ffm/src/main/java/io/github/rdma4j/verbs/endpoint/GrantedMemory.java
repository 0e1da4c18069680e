// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.MemoryWindow;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Memory of this side that one peer can use, as far as its rights and its range go, until it is closed: {@link
 * Endpoint#grant(MemorySlice, java.time.Duration, io.github.rdma4j.verbs.AccessFlag...)}. Several grants of the same
 * memory, to the same peer or to others, know nothing of each other.
 *
 * <p>It lasts as long as the endpoint at most, and no longer than the region that it is a part of.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class GrantedMemory implements AutoCloseable {
    private final MemorySlice slice;
    private final MemoryHandle handle;
    /** Null where there is none. */
    private final MemoryWindow window;
    /** What was registered for this alone; null if a window was bound to the program's own region. */
    private final MemoryRegion base;
    /** What was allocated for this alone; null if the memory is the program's. */
    private final MemoryRegion owned;
    /** Null if it is exclusive. */
    private final String shared;

    /** Waits for a thread of this process that is just serving the peer; null where an adapter does that alone. */
    private final Runnable serving;

    private volatile boolean taken;

    GrantedMemory(
            MemorySlice slice,
            MemoryHandle handle,
            MemoryWindow window,
            MemoryRegion base,
            MemoryRegion owned,
            String shared,
            Runnable serving) {
        this.slice = slice;
        this.handle = handle;
        this.window = window;
        this.base = base;
        this.owned = owned;
        this.shared = shared;
        this.serving = serving;
    }

    MemoryRegion owned() {
        return owned;
    }

    MemoryRegion base() {
        return base;
    }

    /** {@return what the peer needs to know; {@link MemoryHandle#toBytes()} goes into a message} */
    public MemoryHandle handle() {
        return handle;
    }

    /**
     * The memory itself.
     *
     * @return the bytes that the peer can use
     * @throws UnsupportedOperationException if it is no memory of this process ({@link MemoryRegion#hasSegment()})
     */
    public MemorySegment segment() {
        return slice.segment();
    }

    /**
     * Whether this peer alone can use it: then its key is worth nothing in another connection.
     *
     * @return true by a memory window of type 2 and over TCP; false where {@link #whyNotExclusive()} says why
     */
    public boolean isExclusive() {
        return shared == null;
    }

    /**
     * Why others can use it, too, if they know the key.
     *
     * @return the reason: the device has no memory windows of type 2, or the endpoint moves between transports; empty
     *     if it {@linkplain #isExclusive() is exclusive}
     */
    public Optional<String> whyNotExclusive() {
        return Optional.ofNullable(shared);
    }

    /** {@return whether the peer can use it still} */
    public boolean isOpen() {
        return !taken && (window == null || window.isOpen()) && (base == null || Exposures.isThere(base));
    }

    /** Whether nothing is left to close: what the peer cannot use any more may still be registered. */
    boolean isGone() {
        return taken
                || (window == null || !window.isOpen())
                        && (base == null || !base.isOpen())
                        && (owned == null || !owned.isOpen());
    }

    /**
     * Takes the memory back. When this returns, nothing that the peer does can reach it. What it does with the handle
     * from now on, and what it has begun, fails with {@link
     * io.github.rdma4j.verbs.WorkCompletionStatus#REM_ACCESS_ERR} or with the end of the connection, which it costs the
     * peer in both cases. Other grants, and other peers, go on. Does nothing if it is closed already.
     *
     * @throws io.github.rdma4j.verbs.VerbsException if the adapter refuses; another call tries again
     */
    @Override
    public void close() {
        List<Runnable> closes = new ArrayList<>();
        if (window != null) {
            closes.add(window::close);
        }
        if (base != null) {
            closes.add(base::close);
        }
        if (serving != null) {
            closes.add(serving);
        }
        if (owned != null) {
            closes.add(owned::close);
        }
        CloseAll.of(closes.toArray(Runnable[]::new));
        taken = true;
    }

    /** {@return memory and rights, and no key} */
    @Override
    public String toString() {
        return "granted %s%s".formatted(handle, isOpen() ? "" : ", taken back");
    }
}
