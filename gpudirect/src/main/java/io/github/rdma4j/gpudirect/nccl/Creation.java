// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Creates communicators that are not derived from another one; see {@link Splitting} for those that are. */
final class Creation {
    private Creation() {}

    /** Creates one rank of several. */
    static NcclCommunicator init(
            CudaContext context, int ranks, int rank, NcclUniqueId id, Consumer<NcclConfig> settings) {
        Checks.primary(context);
        if (ranks < 1) {
            throw new IllegalArgumentException("%d ranks: 1 or more".formatted(ranks));
        }
        Checks.rank("rank", rank, ranks);
        NcclConfig config = new NcclConfig();
        settings.accept(config);
        Library library = Library.current();
        NcclCommunicator made = new NcclCommunicator(library, context, config, ranks, rank);
        Connection connection = made.connection();
        MemorySegment struct = config.struct(library, connection.arena());
        MemorySegment name = id.struct(connection.arena());
        made.start(
                connection,
                () -> "ncclCommInitRank(ranks=%d, rank=%d, %s)".formatted(ranks, rank, context.device()),
                struct == null
                        ? () -> library.calls().call(NcclFunction.COMM_INIT_RANK, connection.slot(), ranks, name, rank)
                        : () -> library.calls()
                                .call(
                                        NcclFunction.COMM_INIT_RANK_CONFIG,
                                        connection.slot(),
                                        ranks,
                                        name,
                                        rank,
                                        struct.address()));
        return made;
    }

    /** Creates all ranks in this process. */
    static List<NcclCommunicator> initAll(List<CudaContext> contexts, Consumer<NcclConfig> settings) {
        if (contexts.isEmpty()) {
            throw new IllegalArgumentException("no contexts: one for each rank");
        }
        contexts.forEach(Checks::primary);
        Library library = Library.current();
        if (!library.has(NcclFunction.COMM_INIT_RANK_CONFIG)) {
            return initAllAtOnce(library, contexts, settings);
        }
        NcclUniqueId id = NcclUniqueId.create();
        List<NcclCommunicator> all = new ArrayList<>();
        NcclGroup.run(() -> {
            for (CudaContext context : contexts) {
                all.add(init(context, contexts.size(), all.size(), id, settings));
            }
        });
        return all;
    }

    private static List<NcclCommunicator> initAllAtOnce(
            Library library, List<CudaContext> contexts, Consumer<NcclConfig> settings) {
        int count = contexts.size();
        List<NcclCommunicator> all = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handles = arena.allocate(ValueLayout.JAVA_LONG, count);
            MemorySegment devices = arena.allocate(ValueLayout.JAVA_INT, count);
            for (int i = 0; i < count; i++) {
                NcclConfig config = new NcclConfig();
                settings.accept(config);
                NcclCommunicator made = new NcclCommunicator(library, contexts.get(i), config, count, i);
                config.struct(library, made.connection().arena());
                devices.setAtIndex(
                        ValueLayout.JAVA_INT, i, contexts.get(i).device().ordinal());
                all.add(made);
            }
            library.check(
                    library.calls().call(NcclFunction.COMM_INIT_ALL, handles.address(), count, devices.address()),
                    "ncclCommInitAll(%d)".formatted(count),
                    0);
            for (int i = 0; i < count; i++) {
                all.get(i).adopt(handles.getAtIndex(ValueLayout.JAVA_LONG, i));
            }
            return all;
        }
    }
}
