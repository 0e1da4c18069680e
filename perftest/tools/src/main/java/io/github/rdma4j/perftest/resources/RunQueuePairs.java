// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.options.ConnectionType;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Verb;
import io.github.rdma4j.perftest.plan.Shape;
import io.github.rdma4j.perftest.stream.RunQueuePair;
import io.github.rdma4j.perftest.wire.PeerKeys;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.AddressHandleAttributes;
import io.github.rdma4j.verbs.Destination;
import io.github.rdma4j.verbs.GlobalRoute;
import io.github.rdma4j.verbs.PreparedQueuePair;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairConfig;
import io.github.rdma4j.verbs.QueuePairEndpoint;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.SrdQueuePair;
import io.github.rdma4j.verbs.SrdQueuePairConfig;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.Mtu;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * The queue pairs of one side: how they are made, and how they are connected with the peer's. Their domain closes them.
 */
final class RunQueuePairs {
    /** The queue key of the C tools' datagrams. */
    private static final int QUEUE_KEY = 0x11111111;
    /**
     * The inline sizes that the C tools use with adapters that refuse their usual one (ctx_set_max_inline), and none.
     */
    private static final int[] INLINE_SIZES = {128, 101, 96, 64, 48, 32, 0};

    private final RunDevice device;
    private final RunParameters parameters;
    private final Shape shape;
    private final ProtectionDomain domain;
    private final RunQueues queues;
    private final List<PreparedQueuePair> prepared = new ArrayList<>();
    private final List<QueuePair> connected = new ArrayList<>();
    private final List<SrdQueuePair> reliableDatagrams = new ArrayList<>();
    private final List<Destination> destinations = new ArrayList<>();
    private final List<RunQueuePair> usable = new ArrayList<>();
    private final int inlineSize;

    /**
     * Creates the queue pairs, not yet connected.
     *
     * @param queues where they complete and take their receives from
     */
    RunQueuePairs(RunDevice device, RunParameters parameters, Shape shape, ProtectionDomain domain, RunQueues queues) {
        this.device = device;
        this.parameters = parameters;
        this.shape = shape;
        this.domain = domain;
        this.queues = queues;
        this.inlineSize = prepareAll();
    }

    /** Creates the queue pairs; returns the inline size that was granted. */
    private int prepareAll() {
        int wanted = device.inlineSize();
        int granted = wanted;
        if (parameters.queues().inlineSize() > 0) {
            try {
                add(wanted);
            } catch (VerbsException failure) {
                throw new IllegalParameterException("-I/--inline_size: " + wanted + " is too large for "
                        + device.deviceName() + " (" + failure.getMessage() + ")");
            }
        } else {
            granted = largestGranted(wanted, this::add);
        }
        while (size() < shape.queuePairs()) {
            add(granted);
        }
        return granted;
    }

    /** Reduces the inline size until the adapter grants it: a comparison with the C tools needs the same size. */
    static int largestGranted(int wanted, IntConsumer add) {
        for (int size = wanted; ; ) {
            try {
                add.accept(size);
                return size;
            } catch (VerbsException refused) {
                int tooLarge = size;
                size = IntStream.of(INLINE_SIZES)
                        .filter(smaller -> smaller < tooLarge)
                        .findFirst()
                        .orElseThrow(() -> refused);
            }
        }
    }

    private int size() {
        return prepared.size() + connected.size() + reliableDatagrams.size();
    }

    private void add(int inline) {
        if (shape.connection() == ConnectionType.SRD) {
            reliableDatagrams.add(domain.createSrdQueuePair(config -> configure(config, inline)));
            return;
        }
        QueuePairType type = shape.type(size());
        Consumer<QueuePairConfig> configuration = config -> {
            configureQueues(config, type);
            config.maxSendWorkRequests(device.sendRequests(shape.transmitDepth()))
                    .maxReceiveWorkRequests(Math.max(1, shape.receiveDepth()))
                    // A side that does not receive has one receive, which is never posted and needs no space in the
                    // queue.
                    .oversubscribeCompletionQueue(shape.receiveDepth() == 0)
                    .maxInlineData(inline)
                    // Data that the adapter's library copies from a completion would not reach GPU memory.
                    .scatterToCompletion(!parameters.gpu().wanted())
                    .port(parameters.path().devicePort())
                    .partitionKeyIndex(parameters.path().partitionKeyIndex())
                    .queueKey(QUEUE_KEY)
                    .remoteAccess(remoteAccess(parameters));
            if (device.gid() != null) {
                config.gidIndex(device.gid().index());
            }
        };
        if (shape.rdmaCm()) {
            // It stays in its first state until rdma_cm provides the attributes of the next one.
            connected.add(domain.createQueuePair(type, configuration));
        } else {
            prepared.add(domain.prepareQueuePair(type, configuration));
        }
    }

    private void configure(SrdQueuePairConfig config, int inline) {
        config.sendCompletionQueue(queues.sends())
                .receiveCompletionQueue(queues.receives())
                .maxSendWorkRequests(shape.transmitDepth())
                .maxReceiveWorkRequests(Math.max(1, shape.receiveDepth()))
                .oversubscribeCompletionQueue(shape.receiveDepth() == 0)
                .maxInlineData(inline)
                .inlineWrites(inline > 0 && parameters.tool().verb() == Verb.WRITE)
                .unsolicitedWrites(parameters.workload().unsolicited())
                .queueKey(QUEUE_KEY)
                .serviceLevel(parameters.path().serviceLevel());
    }

    private void configureQueues(QueuePairConfig config, QueuePairType type) {
        if (type == QueuePairType.XRC_RECV) {
            config.xrcDomain(queues.xrcDomain());
            return;
        }
        config.sendCompletionQueue(queues.sends()).receiveCompletionQueue(queues.receives());
        if (queues.sharedReceiveQueue() != null && type != QueuePairType.XRC_SEND) {
            config.sharedReceiveQueue(queues.sharedReceiveQueue());
        }
    }

    /** Returns the peer's access rights: only those that the verb needs. */
    static AccessFlag[] remoteAccess(RunParameters parameters) {
        return switch (parameters.tool().verb()) {
            case WRITE, SEND -> new AccessFlag[] {AccessFlag.REMOTE_WRITE};
            case READ -> new AccessFlag[] {AccessFlag.REMOTE_READ};
            case ATOMIC -> new AccessFlag[] {AccessFlag.REMOTE_ATOMIC};
        };
    }

    /** Returns the access flags of the messages' memory. */
    static AccessFlag[] memoryAccess(RunDevice device, RunParameters parameters) {
        List<AccessFlag> flags = new ArrayList<>(List.of(AccessFlag.LOCAL_WRITE));
        // EFA refuses a right that serves an operation which it does not have.
        if (parameters.connection() != ConnectionType.SRD || parameters.tool().verb() != Verb.SEND) {
            flags.addAll(List.of(remoteAccess(parameters)));
        }
        if (device.isIwarp() && parameters.tool().verb() == Verb.READ) {
            // With iWARP, the peer writes the answer to a read, so this memory needs remote access.
            flags.add(AccessFlag.REMOTE_WRITE);
        }
        if (parameters.relaxedOrdering()) {
            flags.add(AccessFlag.RELAXED_ORDERING);
        }
        if (parameters.memory().onDemand()) {
            flags.add(AccessFlag.ON_DEMAND);
        }
        return flags.toArray(AccessFlag[]::new);
    }

    /** Returns the address that the peer needs to reach a queue pair. */
    QueuePairEndpoint endpoint(int queuePair) {
        if (!prepared.isEmpty()) {
            return prepared.get(queuePair).endpoint();
        }
        // Packet sequence numbers are agreed by rdma_cm; SRD has none between peers.
        Gid gid = device.gid() == null ? Gid.ZERO : device.gid().gid();
        int number = connected.isEmpty()
                ? reliableDatagrams.get(queuePair).number()
                : connected.get(queuePair).number();
        return new QueuePairEndpoint(number, 0, device.port().lid(), gid, device.mtu());
    }

    /** Lets rdma_cm connect the queue pairs. */
    void connect(CmConnections connections, RunResources resources) {
        destinations.addAll(connections.connect(resources));
    }

    /**
     * Connects each queue pair with its counterpart at the peer, unless rdma_cm has done so; datagrams get an address
     * to go to.
     */
    void connect(List<PeerKeys> theirs, Mtu mtu) {
        for (int i = 0; i < prepared.size(); i++) {
            PeerKeys keys = theirs.get(shape.peerOf(i));
            if (shape.type(i) == QueuePairType.UD) {
                QueuePair queuePair = prepared.get(i).activate();
                if (shape.multicastGroup() != null) {
                    queuePair.attachMulticast(shape.multicastGroup(), 0);
                }
                connected.add(queuePair);
                destinations.add(destination(i, keys));
            } else {
                connected.add(connect(i, keys, mtu));
                destinations.add(null);
            }
        }
        for (int i = 0; i < connected.size(); i++) {
            usable.add(
                    shape.type(i) == QueuePairType.XRC_SEND
                            ? RunQueuePair.toSharedReceiveQueue(
                                    connected.get(i),
                                    theirs.get(shape.peerOf(i)).sharedReceiveQueueNumber())
                            : RunQueuePair.of(connected.get(i), destinations.get(i)));
        }
        for (int i = 0; i < reliableDatagrams.size(); i++) {
            usable.add(RunQueuePair.of(reliableDatagrams.get(i), destination(i, theirs.get(i))));
        }
    }

    private Destination destination(int queuePair, PeerKeys keys) {
        return Destination.of(domain.createAddressHandle(address(queuePair, keys)), keys.queuePairNumber(), QUEUE_KEY);
    }

    private QueuePair connect(int index, PeerKeys keys, Mtu mtu) {
        QueuePairEndpoint endpoint = new QueuePairEndpoint(
                keys.queuePairNumber(),
                keys.packetSequenceNumber(),
                parameters.path().destinationLid(keys.lid()),
                keys.gid() == null ? Gid.ZERO : keys.gid(),
                mtu);
        return prepared.get(index).connect(endpoint, config -> {
            config.pathMtu(mtu)
                    .timeout(parameters.path().queuePairTimeout())
                    .retryCount(7)
                    .rnrRetry(7)
                    .minRnrTimer(12)
                    .serviceLevel(parameters.path().serviceLevel())
                    .trafficClass(parameters.path().trafficClass())
                    .hopLimit(parameters.path().hopLimit())
                    .flowLabel(parameters.path().flowLabel(index));
            // A device without reads and atomics allows none.
            if (parameters.tool().verb() == Verb.READ || parameters.tool().verb() == Verb.ATOMIC) {
                config.maxReadAtomic(device.outstandingReadsTo(keys.outstandingReads()))
                        .maxDestinationReadAtomic(device.outstandingReads());
            }
        });
    }

    private AddressHandleAttributes address(int index, PeerKeys keys) {
        AddressHandleAttributes local = AddressHandleAttributes.toLid(
                        parameters.path().devicePort(), parameters.path().destinationLid(keys.lid()))
                .withServiceLevel(parameters.path().serviceLevel());
        return device.gid() == null || keys.gid() == null
                ? local
                : local.withGlobalRoute(new GlobalRoute(
                        keys.gid(),
                        parameters.path().flowLabel(index),
                        device.gid().index(),
                        parameters.path().hopLimit(),
                        parameters.path().trafficClass()));
    }

    /** The connected queue pair of this number. */
    QueuePair get(int queuePair) {
        return connected.get(queuePair);
    }

    /** The queue pair of this number, with the address of its requests, after {@link #connect(List, Mtu)}. */
    RunQueuePair usable(int queuePair) {
        return usable.get(queuePair);
    }

    /** Returns the largest size in bytes of a message that can be sent inline. */
    int inlineSize() {
        return inlineSize;
    }
}
