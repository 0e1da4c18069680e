// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_qp;
import io.github.rdma4j.verbs.bindings.ibv_qp_cap;
import io.github.rdma4j.verbs.bindings.ibv_qp_init_attr_ex;
import io.github.rdma4j.verbs.internal.EfaCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.Flags;
import io.github.rdma4j.verbs.internal.Mlx5Calls;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.NativeMemory;
import io.github.rdma4j.verbs.internal.QueuePairCalls;
import io.github.rdma4j.verbs.internal.datapath.ExtendedPosting;
import io.github.rdma4j.verbs.internal.explain.RegistrationFailures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * Creates the native queue pair. It uses ibv_create_qp(3), ibv_create_qp_ex(3) for settings
 * that only this verb supports, mlx5dv_create_qp(3) for mlx5 adapters that must keep received data out of
 * completions, or efadv_create_qp_ex(3) for SRD queue pairs.
 */
final class QueuePairCreation {
    private QueuePairCreation() {}

    /**
     * A native queue pair.
     *
     * @param queuePair the {@code struct ibv_qp}
     * @param extended extended posting (ibv_wr_*), or null
     */
    record Created(MemorySegment queuePair, ExtendedPosting extended) {}

    /**
     * Runs the steps after the creation of a queue pair. If they fail, closes the queue pair.
     *
     * @param queuePair the new queue pair
     * @param steps returns the object that owns it from then on
     * @return this object
     */
    static <T> T complete(QueuePair queuePair, Supplier<T> steps) {
        try {
            return steps.get();
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
     * Creates a queue pair. A failure leaves none behind.
     *
     * @param domain its protection domain
     * @param config its settings
     * @return the native queue pair
     */
    static Created create(ProtectionDomain domain, QueuePairConfig config) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_qp_init_attr_ex.allocate(arena);
            int wanted = fill(attributes, domain, config)
                    | extras(attributes, config)
                    | receivingSide(attributes, config, arena);
            ibv_qp_init_attr_ex.comp_mask(attributes, wanted);
            DeviceContext context = domain.context();
            // As verbs.h does. The structure begins like struct ibv_qp_init_attr.
            boolean basic = wanted == RdmaHeaders.IBV_QP_INIT_ATTR_PD();
            String verb = basic ? "ibv_create_qp" : "ibv_create_qp_ex";
            MemorySegment created;
            if (config.srd() != null) {
                verb = "efadv_create_qp_ex";
                created = EfaCalls.createQueuePair(
                        context.segment(),
                        attributes,
                        config.srd().flags(),
                        config.srd().serviceLevel());
            } else if (!config.scatterToCompletion()
                    // Other providers need nothing: see QueuePairConfig.scatterToCompletion.
                    && Mlx5Calls.INSTALLED.isProviderOf(context.driver(), context.segment())) {
                verb = "mlx5dv_create_qp";
                created = Mlx5Calls.INSTALLED.createQpWithoutScatterToCompletion(context.segment(), attributes);
            } else if (basic) {
                created = ExportedVerb.CREATE_QP.pointer(domain.segment(), attributes);
            } else {
                created = QueuePairCalls.createQpEx(context.segment(), attributes);
            }
            if (created.address() == 0) {
                throw refused(verb, config, NativeCalls.lastErrno());
            }
            MemorySegment queuePair = created.reinterpret(ibv_qp.sizeof());
            try {
                requireInlineData(verb, attributes, config);
                return new Created(queuePair, extendedPosting(queuePair, context, config));
            } catch (Throwable e) {
                ExportedVerb.DESTROY_QP.number(queuePair);
                throw e;
            }
        }
    }

    /**
     * Checks what the device has granted. Some libraries (of hns and Omni-Path) grant less than was asked for,
     * report success, and refuse the requests later.
     */
    static void requireInlineData(String verb, MemorySegment attributes, QueuePairConfig config) {
        int granted = ibv_qp_cap.max_inline_data(ibv_qp_init_attr_ex.cap(attributes));
        if (!config.hasNoQueues() && Integer.compareUnsigned(granted, config.maxInlineData()) < 0) {
            throw Failures.of(
                    operation(verb, config),
                    Errno.EINVAL,
                    "the device carries no more than %d bytes inline".formatted(granted),
                    "set maxInlineData to %d or less".formatted(granted));
        }
    }

    private static String operation(String verb, QueuePairConfig config) {
        return "%s(%s, %s%s)".formatted(verb, config.type(), config.sizes(), config.extras());
    }

    private static int fill(MemorySegment attributes, ProtectionDomain domain, QueuePairConfig config) {
        ibv_qp_init_attr_ex.qp_type(attributes, config.type().code());
        ibv_qp_init_attr_ex.sq_sig_all(attributes, config.signalAll() ? 1 : 0);
        if (config.sharedReceiveQueue() != null) {
            NativeMemory.setPointer(
                    attributes,
                    ibv_qp_init_attr_ex.srq$offset(),
                    config.sharedReceiveQueue().segment());
        }
        if (!config.hasNoQueues()) {
            NativeMemory.setPointer(
                    attributes,
                    ibv_qp_init_attr_ex.send_cq$offset(),
                    config.sendCompletionQueue().segment());
            NativeMemory.setPointer(
                    attributes,
                    ibv_qp_init_attr_ex.recv_cq$offset(),
                    config.receiveCompletionQueue().segment());
            MemorySegment capabilities = ibv_qp_init_attr_ex.cap(attributes);
            ibv_qp_cap.max_send_wr(capabilities, config.maxSendWorkRequests());
            ibv_qp_cap.max_recv_wr(capabilities, config.maxReceiveWorkRequests());
            ibv_qp_cap.max_send_sge(capabilities, config.maxSendScatterGather());
            ibv_qp_cap.max_recv_sge(capabilities, config.maxReceiveScatterGather());
            ibv_qp_cap.max_inline_data(capabilities, config.maxInlineData());
        }
        if (config.xrcDomain() != null) {
            // The XRC domain replaces the protection domain.
            NativeMemory.setPointer(
                    attributes,
                    ibv_qp_init_attr_ex.xrcd$offset(),
                    config.xrcDomain().segment());
            return RdmaHeaders.IBV_QP_INIT_ATTR_XRCD();
        }
        NativeMemory.setPointer(attributes, ibv_qp_init_attr_ex.pd$offset(), domain.segment());
        return RdmaHeaders.IBV_QP_INIT_ATTR_PD();
    }

    private static int receivingSide(MemorySegment attributes, QueuePairConfig config, Arena arena) {
        if (config.receiveTable() == null) {
            return 0;
        }
        NativeMemory.setPointer(
                attributes,
                ibv_qp_init_attr_ex.rwq_ind_tbl$offset(),
                config.receiveTable().segment());
        config.receiveHash().write(ibv_qp_init_attr_ex.rx_hash_conf(attributes), arena);
        return RdmaHeaders.IBV_QP_INIT_ATTR_IND_TABLE() | RdmaHeaders.IBV_QP_INIT_ATTR_RX_HASH();
    }

    /** Fills in the values that only the extended verb takes, and returns their mask. */
    private static int extras(MemorySegment attributes, QueuePairConfig config) {
        int wanted = 0;
        if (!config.sendOperations().isEmpty()) {
            ibv_qp_init_attr_ex.send_ops_flags(attributes, Flags.mask(config.sendOperations(), SendOperation::bit));
            wanted |= RdmaHeaders.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS();
        }
        if (!config.creationFlags().isEmpty()) {
            ibv_qp_init_attr_ex.create_flags(
                    attributes, (int) Flags.mask(config.creationFlags(), QueuePairCreationFlag::bit));
            wanted |= RdmaHeaders.IBV_QP_INIT_ATTR_CREATE_FLAGS();
        }
        if (config.sourceQueuePairNumber().isPresent()) {
            int flags = ibv_qp_init_attr_ex.create_flags(attributes);
            ibv_qp_init_attr_ex.create_flags(attributes, flags | RdmaHeaders.IBV_QP_CREATE_SOURCE_QPN());
            ibv_qp_init_attr_ex.source_qpn(
                    attributes, config.sourceQueuePairNumber().getAsInt());
            wanted |= RdmaHeaders.IBV_QP_INIT_ATTR_CREATE_FLAGS();
        }
        if (config.maxSegmentHeader() > 0) {
            ibv_qp_init_attr_ex.max_tso_header(attributes, (short) config.maxSegmentHeader());
            wanted |= RdmaHeaders.IBV_QP_INIT_ATTR_MAX_TSO_HEADER();
        }
        return wanted;
    }

    /**
     * Returns extended posting (ibv_wr_*), or null if no operations were requested.
     *
     * <p>Never on mlx5. There, a request that finds the queue full is written over the last posted request, which the
     * adapter may not have fetched yet, and only then refused (observed with rdma-core 44, and the same in the sources
     * up to 64). Also, {@code wr_complete} becomes another function in RTS. The same operations go through
     * ibv_post_send, which may be mixed with ibv_wr_*, writes the same requests, and checks for a full queue first.
     */
    private static ExtendedPosting extendedPosting(
            MemorySegment queuePair, DeviceContext context, QueuePairConfig config) {
        if (config.sendOperations().isEmpty() || context.driver().isMlx5()) {
            return null;
        }
        MemorySegment extended = ExportedVerb.QP_TO_QP_EX.pointer(queuePair);
        if (extended.address() == 0) {
            throw new UnsupportedVerbException(
                    "ibv_qp_to_qp_ex", Errno.EOPNOTSUPP, "the device's library has no extended posting");
        }
        ExtendedPosting.Peers peers = switch (config.type()) {
            case UD -> ExtendedPosting.Peers.ANY;
            case XRC_SEND -> ExtendedPosting.Peers.SHARED_RECEIVE_QUEUES;
            case DRIVER -> ExtendedPosting.Peers.ANY_WITH_MEMORY;
            default -> ExtendedPosting.Peers.ONE;
        };
        int opcodes = config.sendOperations().stream()
                .mapToInt(operation -> 1 << operation.opcode())
                .sum();
        return new ExtendedPosting(extended.address(), context.driver(), peers, opcodes);
    }

    private static VerbsException refused(String verb, QueuePairConfig config, int errno) {
        String operation = operation(verb, config);
        if (errno == Errno.EINVAL && config.srd() != null && config.srd().serviceLevel() != 0) {
            return Failures.of(
                    operation,
                    errno,
                    "the service level %d needs rdma-core 55 or later, and an adapter that has it"
                            .formatted(config.srd().serviceLevel()),
                    "leave the service level at 0");
        }
        return switch (errno) {
            case Errno.EINVAL ->
                Failures.of(
                        operation,
                        errno,
                        "the device does not grant these sizes together",
                        config.maxInlineData() > 0
                                ? "ask for less inline data than %d bytes, or for shorter queues"
                                        .formatted(config.maxInlineData())
                                : "ask for shorter queues");
            default ->
                RegistrationFailures.ofQueue(operation, errno, "ask for shorter queues", "close unused queue pairs");
        };
    }
}
