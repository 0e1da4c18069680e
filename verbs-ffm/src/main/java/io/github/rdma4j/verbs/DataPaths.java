// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.ProviderFunctions;
import io.github.rdma4j.verbs.internal.UseGuard;
import io.github.rdma4j.verbs.internal.datapath.CompletionFunctions;
import io.github.rdma4j.verbs.internal.datapath.CompletionPath;
import io.github.rdma4j.verbs.internal.datapath.ReceiveFunctions;
import io.github.rdma4j.verbs.internal.datapath.ReceivePath;
import io.github.rdma4j.verbs.internal.datapath.RingRefusal;
import io.github.rdma4j.verbs.internal.datapath.RxeRings;
import io.github.rdma4j.verbs.internal.datapath.SendFunctions;
import io.github.rdma4j.verbs.internal.datapath.SendPath;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Chooses the data path of each queue: functions, unless its context was opened for rings and the queue has supported
 * rings. Refusals that nobody could foresee are logged, because a user who requests rings by the system property rarely
 * checks the result.
 */
final class DataPaths {
    private DataPaths() {}

    /**
     * A path and why it was chosen.
     *
     * @param path the path
     * @param choice the choice as users see it
     * @param <P> the kind of path
     */
    record Chosen<P>(P path, DataPathChoice choice) {}

    /**
     * Returns a choice as users see it.
     *
     * @param chosen the initial choice
     * @param refusal the path's own later refusal; empty if there is none
     */
    static DataPathChoice now(DataPathChoice chosen, String refusal) {
        return refusal.isEmpty() ? chosen : new DataPathChoice(DataPath.FUNCTIONS, refusal);
    }

    private interface Rings<P> {
        P find(RxeRings rings) throws RingRefusal;
    }

    static Chosen<CompletionPath> completions(
            DeviceContext context, UseGuard guard, MemorySegment queue, boolean readInPlace) {
        ProviderFunctions functions = context.functions();
        String refusal = readInPlace ? "completions that are read in place are found by the library's functions" : "";
        Chosen<CompletionPath> ring = Mlx5Paths.areOf(context)
                ? Mlx5Paths.completions(context, queue, refusal)
                : ring(context, functions, refusal, rings -> rings.completions(queue, context.armFunction()));
        return ring.path != null
                ? ring
                : new Chosen<>(
                        new CompletionFunctions(
                                guard,
                                functions.pollCompletions(),
                                context.driver().pollsInUserSpace(),
                                queue.address()),
                        ring.choice);
    }

    /**
     * The paths of a queue pair.
     *
     * @param sends the path of its send queue
     * @param receives the path of its own receive queue; null if it has none
     */
    record OfQueuePair(Chosen<SendPath> sends, Chosen<ReceivePath> receives) {}

    static OfQueuePair queuePair(
            DeviceContext context, MemorySegment queuePair, Arena arena, QueuePairConfig config, int maxSends) {
        if (Mlx5Paths.areOf(context)) {
            return Mlx5Paths.queuePair(context, queuePair, config, maxSends);
        }
        boolean receives = config.sharedReceiveQueue() == null && !config.onlyReceives();
        return new OfQueuePair(
                sends(context, queuePair, arena, config), receives ? receives(context, queuePair, config) : null);
    }

    private static Chosen<SendPath> sends(
            DeviceContext context, MemorySegment queuePair, Arena arena, QueuePairConfig config) {
        ProviderFunctions functions = context.functions();
        SendFunctions called =
                new SendFunctions(functions.postSend(), context.driver().postsInUserSpace(), queuePair.address());
        Chosen<SendPath> ring = ring(
                context,
                functions,
                noSendRing(config),
                rings -> rings.sends(
                        queuePair,
                        arena,
                        config.maxSendScatterGather(),
                        config.maxInlineData(),
                        config.type() == QueuePairType.UD ? called : null));
        return ring.path != null ? ring : new Chosen<>(called, ring.choice);
    }

    private static String noSendRing(QueuePairConfig config) {
        if (!config.sendOperations().isEmpty()) {
            return "requests that ibv_wr_start(3) begins are written by the library's functions";
        }
        return config.onlyReceives() ? "the queue pair has no send queue" : "";
    }

    private static Chosen<ReceivePath> receives(
            DeviceContext context, MemorySegment queuePair, QueuePairConfig config) {
        ProviderFunctions functions = context.functions();
        Chosen<ReceivePath> ring =
                ring(context, functions, "", rings -> rings.receives(queuePair, config.maxReceiveScatterGather()));
        return ring.path != null ? ring : functions(context, functions.postReceive(), queuePair, ring.choice);
    }

    static Chosen<ReceivePath> sharedReceives(
            DeviceContext context, MemorySegment queue, SharedReceiveQueueConfig config) {
        ProviderFunctions functions = context.functions();
        String refusal = Mlx5Paths.areOf(context) ? Mlx5Paths.SHARED_RECEIVES : "";
        Chosen<ReceivePath> ring =
                ring(context, functions, refusal, rings -> rings.sharedReceives(queue, config.maxScatterGather()));
        return ring.path != null ? ring : functions(context, functions.postSharedReceive(), queue, ring.choice);
    }

    /** Returns the path of a work queue, which has a function of its own and no supported ring. */
    static ReceivePath workQueue(DeviceContext context, MemorySegment function, MemorySegment queue) {
        return new ReceiveFunctions(function, context.driver().postsInUserSpace(), queue.address());
    }

    private static Chosen<ReceivePath> functions(
            DeviceContext context, MemorySegment function, MemorySegment queue, DataPathChoice choice) {
        return new Chosen<>(workQueue(context, function, queue), choice);
    }

    /** Returns which path a context of a device can offer, at its opening. */
    static DataPathChoice ofContext(DeviceContext context, DataPath wanted) {
        if (wanted == DataPath.FUNCTIONS) {
            return new DataPathChoice(wanted, "");
        }
        try {
            if (context.driver().isMlx5()) {
                Mlx5Paths.rings(context);
            } else {
                new RxeRings(context.segment(), context.functions());
            }
            return new DataPathChoice(wanted, "");
        } catch (RingRefusal e) {
            return refused(context, e);
        }
    }

    /** Returns a ring, or null and the reason. */
    private static <P> Chosen<P> ring(
            DeviceContext context, ProviderFunctions functions, String refusal, Rings<P> finder) {
        DataPathChoice ofContext = context.dataPath();
        if (ofContext.path() == DataPath.FUNCTIONS) {
            return new Chosen<>(null, ofContext);
        }
        if (!refusal.isEmpty()) {
            return new Chosen<>(null, new DataPathChoice(DataPath.FUNCTIONS, refusal));
        }
        try {
            return new Chosen<>(finder.find(new RxeRings(context.segment(), functions)), ofContext);
        } catch (RingRefusal e) {
            return new Chosen<>(null, refused(context, e));
        }
    }

    static DataPathChoice refused(DeviceContext context, RingRefusal refusal) {
        System.getLogger(DataPath.class.getName())
                .log(Level.WARNING, "{0} uses functions and not rings: {1}", context, refusal.getMessage());
        return new DataPathChoice(DataPath.FUNCTIONS, refusal.getMessage());
    }
}
