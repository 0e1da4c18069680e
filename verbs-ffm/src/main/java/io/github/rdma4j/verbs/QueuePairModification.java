// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_qp_attr;
import io.github.rdma4j.verbs.bindings.ibv_qp_init_attr;
import io.github.rdma4j.verbs.device.TransportType;
import io.github.rdma4j.verbs.internal.ColdCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.explain.ModifyFailure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * Queries and modifies the attributes of a queue pair (ibv_query_qp(3), ibv_modify_qp(3)); every state change uses this
 * class.
 */
final class QueuePairModification {
    /** The attributes that the kernel's query command returns. */
    private static final EnumSet<QueuePairAttribute> QUERIED =
            EnumSet.complementOf(EnumSet.of(QueuePairAttribute.RATE_LIMIT));

    private QueuePairModification() {}

    static QueuePairAttributes query(QueuePair queuePair, QueuePairAttribute... attributes) {
        EnumSet<QueuePairAttribute> asked = EnumSet.noneOf(QueuePairAttribute.class);
        for (QueuePairAttribute attribute : attributes) {
            asked.add(Objects.requireNonNull(attribute, "attribute"));
        }
        return query(
                queuePair, asked.isEmpty() ? QUERIED : asked, (values, initial) -> QueuePairAttributes.read(values));
    }

    static QueuePairInitAttributes queryInitial(QueuePair queuePair) {
        return query(
                queuePair,
                EnumSet.of(QueuePairAttribute.CAP),
                (values, initial) -> QueuePairInitAttributes.read(initial));
    }

    static QueuePairState state(QueuePair queuePair) {
        return query(
                queuePair,
                EnumSet.of(QueuePairAttribute.STATE),
                (values, initial) -> QueuePairState.ofCode(ibv_qp_attr.qp_state(values)));
    }

    private static <T> T query(
            QueuePair queuePair,
            Set<QueuePairAttribute> attributes,
            BiFunction<MemorySegment, MemorySegment, T> reader) {
        return queuePair.locked(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment values = ibv_qp_attr.allocate(arena);
                MemorySegment initial = ibv_qp_init_attr.allocate(arena);
                int result = ExportedVerb.QUERY_QP.number(
                        queuePair.segment(), values, ColdCalls.word(QueuePairAttribute.mask(attributes)), initial);
                Failures.check("ibv_query_qp(0x%06x, %s)".formatted(queuePair.number(), attributes), result);
                return reader.apply(values, initial);
            }
        });
    }

    static void modify(QueuePair queuePair, Consumer<QueuePairAttributesConfig> configuration) {
        try (Arena arena = Arena.ofConfined()) {
            QueuePairAttributesConfig config = new QueuePairAttributesConfig(ibv_qp_attr.allocate(arena));
            configuration.accept(config);
            requireMovable(queuePair, config);
            checkLimits(queuePair.domain().context(), config);
            int mask = QueuePairAttribute.mask(config.given());
            int[] result = new int[1];
            IntSupplier call =
                    () -> ExportedVerb.MODIFY_QP.number(queuePair.segment(), config.segment(), ColdCalls.word(mask));
            if (config.given().contains(QueuePairAttribute.STATE)
                    && config.values().state() == QueuePairState.RESET) {
                queuePair.undisturbedByCursors(() -> result[0] = queuePair.locked(() -> reset(queuePair, call)));
            } else {
                result[0] = queuePair.locked(call::getAsInt);
            }
            if (result[0] != 0) {
                throw failure(queuePair, config).explain(Math.abs(result[0]));
            }
        }
    }

    /**
     * Runs the call that resets the native queue pair, while no thread posts. A post during the reset would continue at
     * the old position of the queue, and the adapter would find old requests before it.
     */
    private static int reset(QueuePair queuePair, IntSupplier call) {
        ReceiveQueue receives = queuePair.receiveQueue();
        int entry = queuePair.enterSend();
        try {
            if (receives == null) {
                return call.getAsInt();
            }
            int receiveEntry = receives.enter();
            try {
                return call.getAsInt();
            } finally {
                receives.exit(receiveEntry);
            }
        } finally {
            queuePair.exitSend(entry);
        }
    }

    /**
     * Refuses a queue pair of iWARP, which has no partition keys and no attribute for its peer: only rdma_cm connects
     * it.
     */
    private static void requireMovable(QueuePair queuePair, QueuePairAttributesConfig config) {
        if (config.given().contains(QueuePairAttribute.PKEY_INDEX) && isIwarp(queuePair)) {
            throw new UnsupportedVerbException(
                    "ibv_modify_qp(0x%06x, %s)".formatted(queuePair.number(), config.given()),
                    Errno.EOPNOTSUPP,
                    queuePair.domain().context().device().name()
                            + " is an iWARP device, whose queue pairs only rdma_cm connects (package"
                            + " io.github.rdma4j.verbs.cm: ConnectionId.createQueuePair or useQueuePair)");
        }
    }

    static boolean isIwarp(QueuePair queuePair) {
        return queuePair.domain().context().device().transportType() == TransportType.IWARP;
    }

    /** Throws an exception with both numbers if a value exceeds the device's limit, before the driver sees it. */
    private static void checkLimits(DeviceContext context, QueuePairAttributesConfig config) {
        QueuePairAttributes values = config.values();
        Set<QueuePairAttribute> given = config.given();
        if (given.contains(QueuePairAttribute.PORT)) {
            context.port(values.port());
            if (given.contains(QueuePairAttribute.PKEY_INDEX)) {
                QueuePairCheck.requirePartition(
                        "partitionKeyIndex", context, values.port(), values.partitionKeyIndex());
            }
        }
        if (given.contains(QueuePairAttribute.MAX_QP_RD_ATOMIC)) {
            checkReadAtomic(context, values.maxReadAtomic());
        }
        if (given.contains(QueuePairAttribute.MAX_DEST_RD_ATOMIC)) {
            checkDestinationReadAtomic(context, values.maxDestinationReadAtomic());
        }
    }

    static void checkReadAtomic(DeviceContext context, int count) {
        requireAtMost("maxReadAtomic", count, context.limits().maxQueuePairInitiatorReadAtomic(), context);
    }

    static void checkDestinationReadAtomic(DeviceContext context, int count) {
        requireAtMost("maxDestinationReadAtomic", count, context.limits().maxQueuePairReadAtomic(), context);
    }

    private static void requireAtMost(String name, int value, int limit, DeviceContext context) {
        if (value > limit) {
            throw new IllegalArgumentException("%s %d: device %s allows 0..%d"
                    .formatted(name, value, context.device().name(), limit));
        }
    }

    static QueuePairState stateOrUnknown(QueuePair queuePair) {
        try {
            return state(queuePair);
        } catch (VerbsException | IllegalStateException e) {
            return QueuePairState.UNKNOWN;
        }
    }

    private static ModifyFailure failure(QueuePair queuePair, QueuePairAttributesConfig config) {
        return new ModifyFailure(
                queuePair.number(),
                queuePair.type(),
                stateOrUnknown(queuePair),
                config.given(),
                config.values(),
                new OpenDeviceFacts(queuePair.domain().context()));
    }
}
