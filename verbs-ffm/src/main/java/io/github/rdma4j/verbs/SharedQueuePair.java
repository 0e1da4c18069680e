// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_qp;
import io.github.rdma4j.verbs.bindings.ibv_qp_open_attr;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.QueuePairCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A receiving queue pair of an XRC domain that another process has created (ibv_open_qp(3)): It exists as long as one
 * process has it open. Its messages go into the shared receive queues that the senders name; nothing can be posted to
 * it.
 *
 * <p>Thread safety: all methods may be called from any thread. SoftRoCE has no XRC, and this has not been run on an
 * adapter.
 *
 * @since 0.1.0
 */
public final class SharedQueuePair extends Resource {
    private final XrcDomain domain;
    private final MemorySegment queuePair;
    private final int number;

    SharedQueuePair(XrcDomain domain, int number) {
        super(domain);
        this.domain = domain;
        this.number = number;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_qp_open_attr.allocate(arena);
            ibv_qp_open_attr.comp_mask(
                    attributes,
                    RdmaHeaders.IBV_QP_OPEN_ATTR_NUM()
                            | RdmaHeaders.IBV_QP_OPEN_ATTR_XRCD()
                            | RdmaHeaders.IBV_QP_OPEN_ATTR_TYPE());
            ibv_qp_open_attr.qp_num(attributes, number);
            ibv_qp_open_attr.xrcd(attributes, domain.segment());
            ibv_qp_open_attr.qp_type(attributes, QueuePairType.XRC_RECV.code());
            MemorySegment opened = QueuePairCalls.openQp(domain.context().segment(), attributes);
            if (opened.address() == 0) {
                throw Failures.of("ibv_open_qp(0x%06x)".formatted(number), NativeCalls.lastErrno());
            }
            this.queuePair = opened.reinterpret(ibv_qp.sizeof());
        }
    }

    /** {@return the XRC domain of the queue pair} */
    public XrcDomain domain() {
        return domain;
    }

    /** {@return the queue pair number, 24 bits} */
    public int number() {
        return number;
    }

    @Override
    public long handle() {
        requireOpen();
        return queuePair.address();
    }

    @Override
    void release() {
        Failures.check("ibv_destroy_qp(0x%06x)".formatted(number), ExportedVerb.DESTROY_QP.number(queuePair));
    }

    /** {@return number and device} */
    @Override
    public String toString() {
        return "shared queue pair 0x%06x of %s"
                .formatted(number, domain.context().device().name());
    }
}
