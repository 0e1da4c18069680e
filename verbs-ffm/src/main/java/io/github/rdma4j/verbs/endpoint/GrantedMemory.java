// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.MemoryWindow;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.Exposures;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Memory of this side that one peer can use within its rights and bounds until it is closed; see {@link
 * Endpoint#grant(MemorySlice, java.time.Duration, io.github.rdma4j.verbs.AccessFlag...)}. Several grants of the same
 * memory, to one peer or several, are independent.
 *
 * <p>A grant ends with its endpoint, and with the region that contains the memory.
 *
 * <p>Thread safety: any thread may call any method.
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

    private volatile boolean taken;

    GrantedMemory(
            MemorySlice slice,
            MemoryHandle handle,
            MemoryWindow window,
            MemoryRegion base,
            MemoryRegion owned,
            String shared) {
        this.slice = slice;
        this.handle = handle;
        this.window = window;
        this.base = base;
        this.owned = owned;
        this.shared = shared;
    }

    MemoryRegion owned() {
        return owned;
    }

    MemoryRegion base() {
        return base;
    }

    /** {@return the handle for the peer; send {@link MemoryHandle#toBytes()} in a message} */
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
     * Returns whether only this peer can use the memory: its key does not work in another connection.
     *
     * @return true for a memory window of type 2 and over TCP; otherwise {@link #whyNotExclusive()} returns the reason
     */
    public boolean isExclusive() {
        return shared == null;
    }

    /**
     * Returns why other peers can also use the memory if they know the key.
     *
     * @return the reason: the device has no memory windows of type 2, or the endpoint moves between transports; empty
     *     if the grant {@linkplain #isExclusive() is exclusive}
     */
    public Optional<String> whyNotExclusive() {
        return Optional.ofNullable(shared);
    }

    /** {@return whether the peer can still use it} */
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
     * Ends the grant. When this method returns, the peer cannot reach the memory. A transfer that is under way or comes
     * later fails with {@link io.github.rdma4j.verbs.WorkCompletionStatus#REM_ACCESS_ERR} or with the end of the
     * connection; in both cases the peer loses the connection. Other grants and other peers are not affected. Does
     * nothing if it is already closed.
     *
     * @throws io.github.rdma4j.verbs.VerbsException if the adapter refuses; call it again to retry
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
