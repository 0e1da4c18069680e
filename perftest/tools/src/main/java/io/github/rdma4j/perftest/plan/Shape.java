// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.plan;

import io.github.rdma4j.perftest.options.ConnectionType;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.device.Gid;

/**
 * The sizes of one side's resources, and the roles of its queue pairs. If both sides send, XRC needs two queue pairs
 * where other types need one: the first half of them sends, the second half receives.
 *
 * @param connection the service of the queue pairs
 * @param streams the number of queue pairs that send, or receive, at a time
 * @param size largest message in bytes
 * @param transmitDepth most messages in flight per stream
 * @param receiveDepth receives posted per stream, or to the shared queue; 0 without receives
 * @param bothWays whether each side sends and receives
 * @param sends whether this side sends, if only one side does
 * @param rdmaCm whether rdma_cm connects the queue pairs
 * @param multicastGroup the group to which the queue pairs are attached; null for none
 */
public record Shape(
        ConnectionType connection,
        int streams,
        long size,
        int transmitDepth,
        int receiveDepth,
        boolean bothWays,
        boolean sends,
        boolean rdmaCm,
        Gid multicastGroup) {
    /**
     * Returns the shape for the parameters.
     *
     * @param longest the longest datagram, in bytes
     */
    public static Shape of(RunParameters parameters, long longest) {
        long[] sizes = parameters.sizes(longest);
        return new Shape(
                parameters.connection(),
                parameters.queues().queuePairs(),
                sizes[sizes.length - 1],
                parameters.transmitDepth(),
                parameters.receiveDepth(),
                parameters.bothWays(),
                parameters.sends(),
                parameters.peer().rdmaCm(),
                parameters.multicastGroup());
    }

    /** Returns the shape of a side whose two streams are connected with each other. */
    public static Shape localPair(ConnectionType connection, long size, int transmitDepth, int receiveDepth) {
        return new Shape(connection, 2, size, transmitDepth, receiveDepth, true, true, false, null);
    }

    /** Returns the bytes that a message takes in memory. A datagram is preceded by its header. */
    public long room(int cacheLineBytes) {
        return connection == ConnectionType.UD
                ? Math.ceilDiv(size + WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES, cacheLineBytes) * cacheLineBytes
                : size;
    }

    private boolean inHalves() {
        return connection == ConnectionType.XRC && bothWays;
    }

    /** The number of queue pairs. */
    public int queuePairs() {
        return inHalves() ? 2 * streams : streams;
    }

    /** The type of a queue pair. */
    public QueuePairType type(int queuePair) {
        return switch (connection) {
            case RC -> QueuePairType.RC;
            case UC -> QueuePairType.UC;
            case UD -> QueuePairType.UD;
            case SRD -> QueuePairType.DRIVER;
            case XRC -> (inHalves() ? queuePair < streams : sends) ? QueuePairType.XRC_SEND : QueuePairType.XRC_RECV;
        };
    }

    /** The queue pair that receives for a stream. */
    public int receiver(int stream) {
        return inHalves() ? streams + stream : stream;
    }

    /** Returns the index of the peer's queue pair to which a queue pair of this side is connected. */
    public int peerOf(int queuePair) {
        return inHalves() ? (queuePair + streams) % (2 * streams) : queuePair;
    }
}
