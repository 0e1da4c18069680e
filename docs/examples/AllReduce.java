// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
import io.github.rdma4j.cuda.*;
import io.github.rdma4j.gpudirect.nccl.*;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * One rank of several, each a process with a GPU of its own: all add up their numbers. Arguments: rank, ranks, number
 * of the GPU, and rank 0's address and port.
 */
void main(String... args) throws Exception {
    var rank = Integer.parseInt(args[0]);
    var ranks = Integer.parseInt(args[1]);
    var server = new InetSocketAddress(args[3], Integer.parseInt(args[4]));
    var limit = Duration.ofMinutes(1);
    NcclUniqueId id;
    if (rank == 0) {
        id = NcclUniqueId.create();
        NcclRendezvous.serve(id, server, ranks - 1, limit);
    } else {
        id = NcclRendezvous.fetch(server, limit);
    }
    try (var context = Cuda.device(Integer.parseInt(args[2])).retainPrimaryContext();
            var stream = context.createStream();
            var communicator = NcclCommunicator.init(context, ranks, rank, id);
            var memory = Nccl.allocate(context, 1024 * Float.BYTES);
            var arena = Arena.ofConfined()) {
        var numbers = arena.allocate(ValueLayout.JAVA_FLOAT, 1024);
        for (var i = 0; i < 1024; i++) {
            numbers.setAtIndex(ValueLayout.JAVA_FLOAT, i, rank + i);
        }
        memory.copyFrom(numbers);
        communicator.allReduce(memory.slice(), memory.slice(), NcclDataType.FLOAT32, NcclOperation.SUM, stream);
        if (!communicator.await(stream, limit)) {
            throw new IllegalStateException("the other ranks have not come in " + limit);
        }
        memory.copyTo(numbers);
        IO.println("rank %d of %d, NCCL %s: %s".formatted(
                rank, ranks, communicator.version(), numbers.getAtIndex(ValueLayout.JAVA_FLOAT, 1)));
    }
}
