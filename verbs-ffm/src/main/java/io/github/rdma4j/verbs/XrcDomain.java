// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_xrcd_init_attr;
import io.github.rdma4j.verbs.internal.DescriptorCalls;
import io.github.rdma4j.verbs.internal.ExtendedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * A domain of extended reliable connections ({@code struct ibv_xrcd}, ibv_open_xrcd(3)): its receiving queue pairs put
 * messages into any of its shared receive queues. Processes share a domain through a file.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @experimental SoftRoCE does not support it, and it has not been run on an adapter.
 * @since 0.1.0
 */
public final class XrcDomain extends Resource {
    /** Whether the domain of a file may or must exist. */
    public enum OpenMode {
        /** The domain must exist. */
        EXISTING(0),
        /** The domain may exist; otherwise it is created. */
        CREATE(O_CREAT),
        /** The domain must not exist. */
        CREATE_NEW(O_CREAT | O_EXCL);

        private final int flags;

        OpenMode(int flags) {
            this.flags = flags;
        }
    }

    private static final int O_CREAT = 0x40;
    private static final int O_EXCL = 0x80;
    private static final int NO_FILE = -1;

    private final DeviceContext context;
    private final MemorySegment domain;

    private XrcDomain(DeviceContext context, String operation, int descriptor, OpenMode mode) {
        super(context);
        this.context = context;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_xrcd_init_attr.allocate(arena);
            ibv_xrcd_init_attr.comp_mask(
                    attributes, RdmaHeaders.IBV_XRCD_INIT_ATTR_FD() | RdmaHeaders.IBV_XRCD_INIT_ATTR_OFLAGS());
            ibv_xrcd_init_attr.fd(attributes, descriptor);
            ibv_xrcd_init_attr.oflags(attributes, mode.flags);
            this.domain = ExtendedVerb.OPEN_XRCD.create(operation, context.segment(), context.segment(), attributes);
        }
    }

    static XrcDomain open(DeviceContext context) {
        String operation = "ibv_open_xrcd(%s)".formatted(context.device().name());
        return new XrcDomain(context, operation, NO_FILE, OpenMode.CREATE);
    }

    /**
     * Opens the domain of a file. The descriptor is needed only for the call: the domain is bound to the file itself.
     */
    static XrcDomain open(DeviceContext context, Path file, OpenMode mode) {
        String operation =
                "ibv_open_xrcd(%s, file=%s, %s)".formatted(context.device().name(), file, mode);
        int descriptor = DescriptorCalls.open(file, mode != OpenMode.EXISTING);
        try {
            return new XrcDomain(context, operation, descriptor, mode);
        } finally {
            DescriptorCalls.close(descriptor);
        }
    }

    /** {@return the device context of this resource} */
    public DeviceContext context() {
        return context;
    }

    /**
     * Opens a receiving queue pair that another process has created in this domain (ibv_open_qp(3)).
     *
     * @param number its number, 24 bits
     * @return the queue pair, to be closed before or with this domain
     * @throws IllegalArgumentException if the number has more than 24 bits
     * @throws VerbsException if there is no such queue pair
     */
    public SharedQueuePair openQueuePair(int number) {
        if (number < 0 || number >>> 24 != 0) {
            throw new IllegalArgumentException("queue pair number 0x%x has more than 24 bits".formatted(number));
        }
        return createChild(() -> new SharedQueuePair(this, number));
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
        Failures.check(
                "ibv_close_xrcd(" + context.device().name() + ")",
                ExtendedVerb.CLOSE_XRCD.call(context.segment(), domain));
    }

    /** {@return the device's name} */
    @Override
    public String toString() {
        return "XRC domain of " + context.device().name();
    }
}
