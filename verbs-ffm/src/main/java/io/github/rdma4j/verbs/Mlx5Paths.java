// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.device.AtomicCapability;
import io.github.rdma4j.verbs.internal.ProviderFunctions;
import io.github.rdma4j.verbs.internal.datapath.CompletionPath;
import io.github.rdma4j.verbs.internal.datapath.Mlx5Limits;
import io.github.rdma4j.verbs.internal.datapath.Mlx5Rings;
import io.github.rdma4j.verbs.internal.datapath.ReceiveFunctions;
import io.github.rdma4j.verbs.internal.datapath.RingRefusal;
import io.github.rdma4j.verbs.internal.datapath.SendFunctions;
import io.github.rdma4j.verbs.internal.datapath.SendPath;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;

/**
 * Chooses the data paths of queues of mlx5 adapters. libmlx5 keeps the state of a queue pair in its own memory, so a
 * queue pair uses one path in both directions, and so do all queue pairs that complete into the same queue.
 */
final class Mlx5Paths {
    /** Why a shared receive queue, and a queue pair with one, has no rings. */
    static final String SHARED_RECEIVES = "a shared receive queue of mlx5 has no ring that this library knows";

    private Mlx5Paths() {}

    /** Returns whether a context was opened for rings and its device has mlx5 rings. */
    static boolean areOf(DeviceContext context) {
        return context.dataPath().path() == DataPath.RINGS && context.driver().isMlx5();
    }

    static Mlx5Rings rings(DeviceContext context) throws RingRefusal {
        return new Mlx5Rings(context.segment(), context.driver(), context.functions());
    }

    /** Returns a ring, or null and the reason. */
    static DataPaths.Chosen<CompletionPath> completions(DeviceContext context, MemorySegment queue, String refusal) {
        if (!refusal.isEmpty()) {
            return new DataPaths.Chosen<>(null, new DataPathChoice(DataPath.FUNCTIONS, refusal));
        }
        try {
            return new DataPaths.Chosen<>(rings(context).completions(queue), context.dataPath());
        } catch (RingRefusal e) {
            return new DataPaths.Chosen<>(null, DataPaths.refused(context, e));
        }
    }

    static DataPaths.OfQueuePair queuePair(
            DeviceContext context, MemorySegment queuePair, QueuePairConfig config, int maxSends) {
        List<CompletionPath> completions = Stream.of(config.sendCompletionQueue(), config.receiveCompletionQueue())
                .filter(queue -> queue != null)
                .map(CompletionQueue::path)
                .toList();
        try {
            Mlx5Rings rings = rings(context);
            String refusal = noRings(config, completions);
            return refusal.isEmpty()
                    ? onRings(context, rings, queuePair, config, maxSends, completions)
                    : byFunctions(context, rings, queuePair, config, completions, refusal);
        } catch (RingRefusal e) {
            DataPathChoice choice = DataPaths.refused(context, e);
            return byFunctions(context, null, queuePair, config, completions, choice.reason());
        }
    }

    private static String noRings(QueuePairConfig config, List<CompletionPath> completions) {
        if (config.type() != QueuePairType.RC) {
            return "this library knows the rings of connected queue pairs (RC) alone";
        }
        if (config.sharedReceiveQueue() != null) {
            return SHARED_RECEIVES;
        }
        return completions.stream().allMatch(Mlx5Rings::takesRings)
                ? ""
                : "other things that complete there go through the library's functions";
    }

    private static DataPaths.OfQueuePair onRings(
            DeviceContext context,
            Mlx5Rings rings,
            MemorySegment queuePair,
            QueuePairConfig config,
            int maxSends,
            List<CompletionPath> completions) {
        Mlx5Limits limits = new Mlx5Limits(
                maxSends,
                config.maxInlineData(),
                config.signalAll(),
                context.limits().atomicCapability() != AtomicCapability.NONE);
        Mlx5Rings.Pair pair = rings.queuePair(queuePair, limits, completions.getFirst(), completions.getLast());
        return new DataPaths.OfQueuePair(
                new DataPaths.Chosen<>(pair.sends(), context.dataPath()),
                new DataPaths.Chosen<>(pair.receives(), context.dataPath()));
    }

    private static DataPaths.OfQueuePair byFunctions(
            DeviceContext context,
            Mlx5Rings rings,
            MemorySegment queuePair,
            QueuePairConfig config,
            List<CompletionPath> completions,
            String why) {
        completions.forEach(path -> path.useFunctions(why));
        ProviderFunctions functions = context.functions();
        DataPathChoice choice = new DataPathChoice(DataPath.FUNCTIONS, why);
        SendPath sends = rings == null || config.onlyReceives()
                ? new SendFunctions(functions.postSend(), true, queuePair.address())
                : rings.functions(queuePair);
        return new DataPaths.OfQueuePair(
                new DataPaths.Chosen<>(sends, choice),
                config.sharedReceiveQueue() != null || config.onlyReceives()
                        ? null
                        : new DataPaths.Chosen<>(
                                new ReceiveFunctions(functions.postReceive(), true, queuePair.address()), choice));
    }
}
