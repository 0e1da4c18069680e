// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.LibIbVerbs;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.VerbsCalls;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * A protection domain ({@code struct ibv_pd}): queue pairs can use only memory registered in their own.
 *
 * <p>Thread safety: all methods may be called from any thread.
 */
public final class ProtectionDomain extends Resource {
    private final DeviceContext context;
    private final MemorySegment domain;

    ProtectionDomain(DeviceContext context) {
        super(context);
        this.context = context;
        this.domain = VerbsCalls.allocPd(context.segment());
        if (domain.address() == 0) {
            throw Failures.of("ibv_alloc_pd(" + context.device().name() + ")", VerbsCalls.lastErrno());
        }
    }

    /** {@return the device that it belongs to} */
    public DeviceContext context() {
        return context;
    }

    /**
     * Registers memory with the adapter (ibv_reg_mr(3)): its pages are pinned, and the adapter may read them, and do what the
     * flags allow. The region holds on to the segment, so an automatic arena does not free it; closing a confined or shared
     * arena under a registered region is the caller's mistake, and leaves the adapter with pages that nobody can see.
     *
     * @param segment native memory of any size above 0, longer than 2 GiB too
     * @param access what may be done with it, besides local reading; remote writing and atomics need
     *     {@link AccessFlag#LOCAL_WRITE}
     * @return the region, to be closed before or with this domain
     * @throws IllegalArgumentException if the segment is empty, on the heap, or read-only with a writing flag, or the flags do
     *     not go together
     * @throws VerbsException if the kernel refuses; out of locked memory, the message gives the limit and the remedy
     * @throws UnsupportedVerbException if the device does not offer one of the flags
     */
    public MemoryRegion registerMemory(MemorySegment segment, AccessFlag... access) {
        return createChild(() -> new MemoryRegion(this, segment, access));
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
        QueuePairConfig config = new QueuePairConfig(type);
        configuration.accept(config);
        config.check(this);
        QueuePair queuePair = createChild(() -> new QueuePair(this, config));
        try {
            return new PreparedQueuePair(queuePair, config);
        } catch (RuntimeException e) {
            queuePair.close();
            throw e;
        }
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
