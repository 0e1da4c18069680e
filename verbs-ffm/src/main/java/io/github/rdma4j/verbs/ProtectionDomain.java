// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.LibIbVerbs;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.VerbsCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A protection domain ({@code struct ibv_pd}): queue pairs can use only memory registered in their own.
 *
 * <p>Thread safety: all methods may be called from any thread.
 */
public final class ProtectionDomain extends Resource {
    private static final long PAGE = 4096;

    private final DeviceContext context;
    private final MemorySegment domain;

    ProtectionDomain(DeviceContext context) {
        super(context);
        this.context = context;
        this.domain = VerbsCalls.allocPd(context.segment());
        if (domain.address() == 0) {
            throw Failures.of("ibv_alloc_pd(" + context.device().name() + ")", NativeCalls.lastErrno());
        }
    }

    /** {@return the device that it belongs to} */
    public DeviceContext context() {
        return context;
    }

    /**
     * Registers memory with the adapter (ibv_reg_mr(3)): its pages are pinned, and the adapter may read them, and do what the
     * flags allow. The region holds on to the segment, so an automatic arena does not free it.
     *
     * <p><b>Close the region before the segment's arena.</b> Closing a confined or shared arena gives its memory back to the
     * allocator while the adapter still may write there: a peer, or a receive under way, then overwrites whatever lies there
     * next, and nothing can notice. {@link #allocateMemory} cannot go wrong in this way.
     *
     * @param segment native memory of any size above 0, longer than 2 GiB too
     * @param access what may be done with it, besides local reading; remote writing and atomics need
     *     {@link AccessFlag#LOCAL_WRITE}
     * @return the region, to be closed before or with this domain
     * @throws IllegalArgumentException if the segment is empty, on the heap, or read-only with a writing flag, or the flags do
     *     not go together
     * @throws VerbsException if the kernel refuses; out of locked memory, the message gives the limit and the remedy
     */
    public MemoryRegion registerMemory(MemorySegment segment, AccessFlag... access) {
        return createChild(() -> new MemoryRegion(this, segment, null, access));
    }

    /**
     * Allocates memory and registers it: the region owns the memory, and frees it when it is closed. Any thread may use it.
     *
     * @param size in bytes, above 0
     * @param access what may be done with it, as for {@link #registerMemory}
     * @return the region, zeroed and aligned to a page, to be closed before or with this domain
     * @throws IllegalArgumentException if the size is not positive, or the flags do not go together
     * @throws VerbsException if the kernel refuses
     */
    public MemoryRegion allocateMemory(long size, AccessFlag... access) {
        if (size < 1) {
            throw new IllegalArgumentException("a region of " + size + " bytes");
        }
        return createChild(() -> {
            Arena arena = Arena.ofShared();
            try {
                return new MemoryRegion(this, arena.allocate(size, PAGE), arena, access);
            } catch (Throwable e) {
                arena.close();
                throw e;
            }
        });
    }

    /**
     * Allocates a memory window (ibv_alloc_mw(3)): a remote key for a part of a region, to be given and taken back quickly.
     *
     * @param type how it is to be bound
     * @return the window, bound to nothing, to be closed before or with this domain
     * @throws UnsupportedVerbException if the device has no windows, or none of this type
     * @throws VerbsException if the device has none left
     */
    public MemoryWindow allocateMemoryWindow(MemoryWindowType type) {
        return createChild(() -> new MemoryWindow(this, Objects.requireNonNull(type)));
    }

    /** Closes the windows bound to a region that is about to go: adapters refuse to deregister memory under a window. */
    void closeWindowsBoundTo(MemoryRegion region) {
        for (MemoryWindow window : children(MemoryWindow.class)) {
            if (window.isBoundTo(region)) {
                window.close();
            }
        }
    }

    /**
     * Creates a queue pair and brings it to INIT (ibv_create_qp(3), ibv_modify_qp(3)): it has a number, and can take receives.
     *
     * @param type the service
     * @param configuration sets what differs from the defaults; the completion queue must be given
     * @return the queue pair, waiting for its peer's endpoint
     * @throws IllegalArgumentException if a value is out of the device's range; the message gives both numbers
     * @throws VerbsException if the device refuses
     */
    public PreparedQueuePair prepareQueuePair(QueuePairType type, Consumer<QueuePairConfig> configuration) {
        QueuePairConfig config = configured(type, configuration);
        QueuePair queuePair = createChild(() -> new QueuePair(this, config));
        try {
            return new PreparedQueuePair(queuePair, config);
        } catch (Throwable e) {
            try {
                queuePair.close();
            } catch (VerbsException inClose) {
                e.addSuppressed(inClose);
            }
            throw e;
        }
    }

    /**
     * Creates a queue pair and leaves it in RESET (ibv_create_qp(3)): for those who move it by hand, or by the attributes that a
     * connection manager gives, with ibv_modify_qp(3). What is posted before it is ready to send is refused, or
     * completes with an error, as the device pleases. {@link #prepareQueuePair} is the easier way.
     *
     * @param type the service
     * @param configuration sets what differs from the defaults; the completion queue must be given. Port, GID, partition, packet
     *     sequence number and remote access belong to later states, and are not used
     * @return the queue pair, in state RESET
     * @throws IllegalArgumentException if a value is out of the device's range; the message gives both numbers
     * @throws VerbsException if the device refuses
     */
    public QueuePair createQueuePair(QueuePairType type, Consumer<QueuePairConfig> configuration) {
        QueuePairConfig config = configured(type, configuration);
        return createChild(() -> new QueuePair(this, config));
    }

    private QueuePairConfig configured(QueuePairType type, Consumer<QueuePairConfig> configuration) {
        QueuePairConfig config = new QueuePairConfig(type);
        configuration.accept(config);
        config.check(this);
        return config;
    }

    MemorySegment segment() {
        return domain;
    }

    @Override
    public long handle() {
        requireOpen();
        return domain.address();
    }

    @Override
    void release() {
        Failures.check("ibv_dealloc_pd(" + context.device().name() + ")", LibIbVerbs.ibv_dealloc_pd(domain));
    }

    /** {@return the device's name} */
    @Override
    public String toString() {
        return "protection domain of " + context.device().name();
    }
}
