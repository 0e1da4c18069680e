// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaResource;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What a communicator's ranks do together, in the order of streams. All ranks make the same calls in the same order;
 * each call returns when the work is in this rank's stream, which waits for the others. How many elements there are
 * follows from the slices; sizes, devices and overlaps are checked before NCCL is called, and what other ranks give
 * cannot be.
 *
 * <p>Memory and stream may be closed at any time afterwards: the close waits for the work. Thread safety: all methods
 * may be called from any thread; the order in which threads come must be the same on all ranks.
 *
 * @since 0.1.0
 */
public abstract sealed class NcclTransfers permits NcclParts {
    /** The others are collectives. */
    private static final Set<NcclFunction> FROM_RANK_TO_RANK = EnumSet.of(
            NcclFunction.SEND,
            NcclFunction.RECEIVE,
            NcclFunction.PUT_SIGNAL,
            NcclFunction.SIGNAL,
            NcclFunction.WAIT_SIGNAL);

    NcclTransfers() {}

    abstract Connection connection();

    /** {@return the number of ranks} */
    public abstract int ranks();

    /** {@return this one's number, from 0} */
    public abstract int rank();

    abstract NcclCommunicator self();

    /**
     * Reduces the elements of all ranks, and each gets the result (ncclAllReduce).
     *
     * @param send this rank's elements
     * @param receive as long; the same place, or one apart
     * @param type of the elements
     * @param reduction how
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices do not fit
     * @throws UnsupportedOperationException if the library is too old for type or reduction
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void allReduce(
            DeviceSlice send, DeviceSlice receive, NcclDataType type, NcclReduction reduction, CudaStream stream) {
        long count = elements("send", send, type);
        elements("receive", receive, type);
        Checks.length("receive", receive, send.length(), "as send");
        Checks.overlap(send, receive, send, receive);
        int operation = operation(reduction, type);
        queue(
                NcclFunction.ALL_REDUCE,
                () -> "ncclAllReduce(count=%d, %s, %s, rank=%d)".formatted(count, type, reduction, rank()),
                (from, to, at, on) -> connection()
                        .library
                        .calls()
                        .collective(NcclFunction.ALL_REDUCE, from, to, count, type.code(), operation, at, on),
                send,
                receive,
                stream);
    }

    /**
     * Reduces the elements of all ranks, and one gets the result (ncclReduce).
     *
     * @param send this rank's elements
     * @param receive as long; the same place, or one apart; null on ranks that are not the root
     * @param type of the elements
     * @param reduction how
     * @param root the rank that gets the result
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices do not fit
     * @throws UnsupportedOperationException if the library is too old for type or reduction
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void reduce(
            DeviceSlice send,
            DeviceSlice receive,
            NcclDataType type,
            NcclReduction reduction,
            int root,
            CudaStream stream) {
        long count = elements("send", send, type);
        Checks.rank("root", root, ranks());
        boolean isRoot = isRootWith("receive", receive, root);
        if (isRoot) {
            elements("receive", receive, type);
            Checks.length("receive", receive, send.length(), "as send");
            Checks.overlap(send, receive, send, receive);
        }
        int operation = operation(reduction, type);
        queue(
                NcclFunction.REDUCE,
                () -> "ncclReduce(count=%d, %s, %s, root=%d, rank=%d)".formatted(count, type, reduction, root, rank()),
                (from, to, at, on) ->
                        connection().library.calls().reduce(from, to, count, type.code(), operation, root, at, on),
                send,
                isRoot ? receive : null,
                stream);
    }

    /**
     * Copies the elements of one rank to all (ncclBroadcast).
     *
     * @param send the root's elements; null on the others
     * @param receive as long; on the root the same place, or one apart
     * @param type of the elements
     * @param root the rank that has them
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices do not fit
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void broadcast(DeviceSlice send, DeviceSlice receive, NcclDataType type, int root, CudaStream stream) {
        long count = elements("receive", receive, type);
        Checks.rank("root", root, ranks());
        boolean isRoot = isRootWith("send", send, root);
        if (isRoot) {
            elements("send", send, type);
            Checks.length("send", send, receive.length(), "as receive");
            Checks.overlap(send, receive, send, receive);
        }
        rooted(NcclFunction.BROADCAST, count, type, root, isRoot ? send : null, receive, stream);
    }

    /**
     * Puts the elements of all ranks side by side, and each gets them all (ncclAllGather).
     *
     * @param send this rank's elements
     * @param receive as many times longer as there are ranks; send may be this rank's part of it
     * @param type of the elements
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices do not fit
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void allGather(DeviceSlice send, DeviceSlice receive, NcclDataType type, CudaStream stream) {
        long count = elements("send", send, type);
        elements("receive", receive, type);
        Checks.length("receive", receive, Math.multiplyExact(send.length(), ranks()), "ranks times send");
        Checks.overlap(send, receive, part(receive, send.length(), rank()), send);
        unrooted(NcclFunction.ALL_GATHER, count, type, send, receive, stream);
    }

    /**
     * Reduces the elements of all ranks, and each gets its part of the result (ncclReduceScatter).
     *
     * @param send as many times longer as there are ranks
     * @param receive for this rank's part; it may be that part of send
     * @param type of the elements
     * @param reduction how
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices do not fit
     * @throws UnsupportedOperationException if the library is too old for type or reduction
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void reduceScatter(
            DeviceSlice send, DeviceSlice receive, NcclDataType type, NcclReduction reduction, CudaStream stream) {
        long count = elements("receive", receive, type);
        elements("send", send, type);
        Checks.length("send", send, Math.multiplyExact(receive.length(), ranks()), "ranks times receive");
        Checks.overlap(send, receive, part(send, receive.length(), rank()), receive);
        int operation = operation(reduction, type);
        queue(
                NcclFunction.REDUCE_SCATTER,
                () -> "ncclReduceScatter(count=%d, %s, %s, rank=%d)".formatted(count, type, reduction, rank()),
                (from, to, at, on) -> connection()
                        .library
                        .calls()
                        .collective(NcclFunction.REDUCE_SCATTER, from, to, count, type.code(), operation, at, on),
                send,
                receive,
                stream);
    }

    /**
     * Each rank gives each a part of its elements (ncclAlltoAll).
     *
     * @param send a part for each rank, side by side
     * @param receive as long and apart: a part of each rank
     * @param type of the elements
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices do not fit, or are no whole number of elements for each rank
     * @throws UnsupportedOperationException before NCCL 2.28.3; a group of sends and receives does the same
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void allToAll(DeviceSlice send, DeviceSlice receive, NcclDataType type, CudaStream stream) {
        long all = elements("send", send, type);
        elements("receive", receive, type);
        Checks.length("receive", receive, send.length(), "as send");
        if (all % ranks() != 0) {
            throw new IllegalArgumentException(
                    "%d elements are no whole number for each of %d ranks".formatted(all, ranks()));
        }
        Checks.overlap(send, receive, null, receive);
        unrooted(NcclFunction.ALL_TO_ALL, all / ranks(), type, send, receive, stream);
    }

    /**
     * Puts the elements of all ranks side by side on one (ncclGather).
     *
     * @param send this rank's elements
     * @param receive as many times longer as there are ranks; send may be the root's part; null on the others
     * @param type of the elements
     * @param root the rank that gets them
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices do not fit
     * @throws UnsupportedOperationException before NCCL 2.28.3
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void gather(DeviceSlice send, DeviceSlice receive, NcclDataType type, int root, CudaStream stream) {
        long count = elements("send", send, type);
        Checks.rank("root", root, ranks());
        boolean isRoot = isRootWith("receive", receive, root);
        if (isRoot) {
            elements("receive", receive, type);
            Checks.length("receive", receive, Math.multiplyExact(send.length(), ranks()), "ranks times send");
            Checks.overlap(send, receive, part(receive, send.length(), root), send);
        }
        rooted(NcclFunction.GATHER, count, type, root, send, isRoot ? receive : null, stream);
    }

    /**
     * Gives each rank a part of the elements of one (ncclScatter).
     *
     * @param send as many times longer as there are ranks; null on those that are not the root
     * @param receive for this rank's part; on the root it may be that part of send
     * @param type of the elements
     * @param root the rank that has them
     * @param stream of the communicator's context
     * @throws IllegalArgumentException if the slices do not fit
     * @throws UnsupportedOperationException before NCCL 2.28.3
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void scatter(DeviceSlice send, DeviceSlice receive, NcclDataType type, int root, CudaStream stream) {
        long count = elements("receive", receive, type);
        Checks.rank("root", root, ranks());
        boolean isRoot = isRootWith("send", send, root);
        if (isRoot) {
            elements("send", send, type);
            Checks.length("send", send, Math.multiplyExact(receive.length(), ranks()), "ranks times receive");
            Checks.overlap(send, receive, part(send, receive.length(), root), receive);
        }
        rooted(NcclFunction.SCATTER, count, type, root, isRoot ? send : null, receive, stream);
    }

    /**
     * Sends to one rank, which must receive as many elements of the same type (ncclSend). The stream waits for it:
     * sends and receives that need each other go into one {@link NcclGroup}.
     *
     * @param from the elements
     * @param type of the elements
     * @param peer to which rank
     * @param stream of the communicator's context
     * @throws UnsupportedOperationException before NCCL 2.7.3
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void send(DeviceSlice from, NcclDataType type, int peer, CudaStream stream) {
        peer(NcclFunction.SEND, "from", from, type, peer, stream);
    }

    /**
     * Receives from one rank, which must send as many elements of the same type (ncclRecv).
     *
     * @param to where the elements go
     * @param type of the elements
     * @param peer from which rank
     * @param stream of the communicator's context
     * @throws UnsupportedOperationException before NCCL 2.7.3
     * @throws NcclException if NCCL refuses, or an earlier call has failed
     */
    public void receive(DeviceSlice to, NcclDataType type, int peer, CudaStream stream) {
        peer(NcclFunction.RECEIVE, "to", to, type, peer, stream);
    }

    private void peer(
            NcclFunction function, String name, DeviceSlice slice, NcclDataType type, int peer, CudaStream stream) {
        long count = elements(name, slice, type);
        Checks.rank("peer", peer, ranks());
        queue(
                function,
                () -> "%s(count=%d, %s, peer=%d, rank=%d)".formatted(function.symbol(), count, type, peer, rank()),
                (from, to, at, on) ->
                        connection().library.calls().peer(function, from, count, type.code(), peer, at, on),
                slice,
                null,
                stream);
    }

    private void rooted(
            NcclFunction function,
            long count,
            NcclDataType type,
            int root,
            DeviceSlice send,
            DeviceSlice receive,
            CudaStream stream) {
        queue(
                function,
                () -> "%s(count=%d, %s, root=%d, rank=%d)".formatted(function.symbol(), count, type, root, rank()),
                (from, to, at, on) ->
                        connection().library.calls().collective(function, from, to, count, type.code(), root, at, on),
                send,
                receive,
                stream);
    }

    private void unrooted(
            NcclFunction function,
            long count,
            NcclDataType type,
            DeviceSlice send,
            DeviceSlice receive,
            CudaStream stream) {
        queue(
                function,
                () -> "%s(count=%d, %s, rank=%d)".formatted(function.symbol(), count, type, rank()),
                (from, to, at, on) ->
                        connection().library.calls().collective(function, from, to, count, type.code(), at, on),
                send,
                receive,
                stream);
    }

    private long elements(String name, DeviceSlice slice, NcclDataType type) {
        connection().requireOpen();
        type.requireKnown(connection().library);
        return Checks.elements(self(), name, slice, type);
    }

    /** Whether this rank is the root, which needs the slice; on the others it is not looked at. */
    private boolean isRootWith(String name, DeviceSlice slice, int root) {
        if (rank() == root && slice == null) {
            throw new IllegalArgumentException("rank %d is the root and has no %s".formatted(root, name));
        }
        return rank() == root;
    }

    private static DeviceSlice part(DeviceSlice whole, long length, int number) {
        return whole.slice(number * length, length);
    }

    private int operation(NcclReduction reduction, NcclDataType type) {
        return switch (reduction) {
            case NcclOperation operation -> {
                operation.requireKnown(connection().library);
                yield operation.code();
            }
            case NcclScaledSum sum -> sum.codeFor(self(), type);
        };
    }

    /** A call with two places of memory, either of which may be none. */
    interface Call {
        int make(long send, long receive, long communicator, long stream);
    }

    final void queue(
            NcclFunction function,
            Step.Call words,
            Call call,
            DeviceSlice send,
            DeviceSlice receive,
            CudaStream stream) {
        Connection connection = connection();
        connection.library.require(function);
        self().uses(stream);
        List<CudaResource> uses = new ArrayList<>(3);
        uses.add(stream);
        long from = use(send, uses);
        long to = use(receive, uses);
        long on = stream.handle();
        NcclGroup.submit(
                new Step(
                        connection,
                        words,
                        () -> call.make(from, to, connection.handle(), on),
                        uses,
                        Step.NOTHING,
                        Step.NOTHING),
                ranks() == 1 && !FROM_RANK_TO_RANK.contains(function));
    }

    private static long use(DeviceSlice slice, List<CudaResource> uses) {
        if (slice == null) {
            return 0;
        }
        uses.add(slice.memory());
        return slice.address();
    }
}
