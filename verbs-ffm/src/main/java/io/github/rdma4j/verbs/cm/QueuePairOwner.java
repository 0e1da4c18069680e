// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.EnhancedConnectionEstablishment;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairAttributesConfig;
import io.github.rdma4j.verbs.QueuePairConfig;
import io.github.rdma4j.verbs.QueuePairState;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.bindings.ibv_ece;
import io.github.rdma4j.verbs.internal.CmCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.Consumer;

/** The part of a {@link ConnectionId} that gives it a queue pair, and tells what a queue pair needs to be connected. */
abstract sealed class QueuePairOwner extends NativeId permits ConnectionId {
    private static final String BINDING = "resolveAddress, or bind, or a request";

    /** Null if there is none. It belongs to whoever holds the channel's lock. */
    private ManagedQueuePair managed;

    QueuePairOwner(EventChannel channel, MemorySegment id, PortSpace portSpace) {
        super(channel, id, portSpace);
    }

    /** The queue pair that is moved; null if there is none. Called with the channel's lock held. */
    ManagedQueuePair managed() {
        return managed;
    }

    /** Whether it came with a request that nobody has answered. Called with the channel's lock held. */
    abstract boolean awaitsAnswer();

    QueuePairStep step(QueuePairState state) {
        try {
            return QueuePairStep.of(segment(), state, toString());
        } catch (VerbsException e) {
            throw e.errno() == Errno.EINVAL && awaitsAnswer() ? CmStatus.requestGone(e) : e;
        }
    }

    /**
     * Creates a queue pair for this id, of the type that its port space has, and moves it to INIT, where it takes
     * receives; a datagram queue pair moves to RTS. From then on it is this id's, as {@link #useQueuePair} has it, and
     * is closed with it. It stands for rdma_create_qp(3) and rdma_create_qp_ex(3), and closing it for
     * rdma_destroy_qp(3).
     *
     * @param domain of the device that this id is bound to; of {@link #device()}, or of another context of the same
     *     device
     * @param configuration sets what differs from the defaults; the completion queue must be given. The port is this
     *     id's
     * @return the queue pair
     * @throws IllegalArgumentException if the domain is another device's, or a value is out of range
     * @throws IllegalStateException if this id is not bound to a device, or has a queue pair
     * @throws ConnectionException if the peer has given up its request meanwhile
     * @throws VerbsException if the device refuses
     */
    public QueuePair createQueuePair(ProtectionDomain domain, Consumer<QueuePairConfig> configuration) {
        locked(() -> requireDevice("rdma_create_qp", BINDING));
        int port = port();
        QueuePair queuePair = domain.createQueuePair(portSpace().queuePairType(), config -> {
            config.port(port);
            configuration.accept(config);
        });
        try {
            manage(new ManagedQueuePair(queuePair, true));
            return queuePair;
        } catch (Throwable e) {
            SynchronousId.closeAfter(e, queuePair);
            throw e;
        }
    }

    /**
     * Lets this id move a queue pair through its states: to INIT now (a datagram queue pair to RTS), to RTR and RTS
     * when it connects or accepts, to the error state when it is rejected or {@linkplain ConnectionId#disconnect()
     * disconnected}. It remains its owner's, who can close it at any time, before this id or after.
     *
     * <p>A program that moves the queue pair itself does not call this: it gives the queue pair's number in the
     * {@link ConnectConfig}, takes the attributes of each step from {@link #queuePairAttributes}, and ends with
     * {@link ConnectionId#establish()}.
     *
     * @param queuePair in state RESET, of the type of the port space, and of the device that this id is bound to
     * @throws IllegalArgumentException if it is of another type or device
     * @throws IllegalStateException if this id is not bound to a device, or has a queue pair
     * @throws ConnectionException if the peer has given up its request meanwhile
     * @throws VerbsException if the device refuses
     */
    public void useQueuePair(QueuePair queuePair) {
        manage(new ManagedQueuePair(queuePair, false));
    }

    private void manage(ManagedQueuePair candidate) {
        locked(() -> {
            candidate.requireSuitable(this, CmDevices.of(requireDevice("useQueuePair", BINDING)));
            if (managed != null && managed.queuePair().isOpen()) {
                throw new IllegalStateException("%s has a queue pair: %s".formatted(this, managed.queuePair()));
            }
            candidate.prepare(this);
            managed = candidate;
            return null;
        });
    }

    /** {@return the queue pair that this id moves; empty if there is none, or it is closed} */
    public Optional<QueuePair> queuePair() {
        return locked(() ->
                Optional.ofNullable(managed).map(ManagedQueuePair::queuePair).filter(QueuePair::isOpen));
    }

    /**
     * What a queue pair that the program moves itself must set for its next step (rdma_init_qp_attr(3)), for
     * {@link QueuePair#modify}: {@code queuePair.modify(id.queuePairAttributes(RTR))}.
     *
     * @param state INIT, RTR or RTS: the state that it moves to
     * @return sets the state and the attributes
     * @throws ConnectionException if the peer has given up its request meanwhile
     * @throws VerbsException if the connection is not that far. Of an id that is resolved and no more, the kernel gives
     *     what INIT needs for RTR and RTS, too: then {@link QueuePair#modify} names what is missing
     */
    public Consumer<QueuePairAttributesConfig> queuePairAttributes(QueuePairState state) {
        return locked(() -> step(state));
    }

    /**
     * The options of enhanced connection establishment that go to the peer with the next connect or accept
     * (rdma_set_local_ece(3)). Of a queue pair that the id moves, it does that by itself.
     *
     * @param ece what the queue pair of the program offers
     */
    public void setLocalEce(EnhancedConnectionEstablishment ece) {
        call("rdma_set_local_ece(%s, %s)".formatted(this, ece), "a vendor id that is not 0", arena -> {
            MemorySegment native_ = ibv_ece.allocate(arena);
            ibv_ece.vendor_id(native_, ece.vendorId());
            ibv_ece.options(native_, ece.options());
            return CmCalls.setLocalEce(segment(), native_);
        });
    }

    /**
     * {@return the options of enhanced connection establishment that the peer sent (rdma_get_remote_ece(3)); zeros if
     * none}
     */
    public EnhancedConnectionEstablishment remoteEce() {
        return locked(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment native_ = ibv_ece.allocate(arena);
                Failures.check("rdma_get_remote_ece(" + this + ")", CmCalls.getRemoteEce(segment(), native_));
                return new EnhancedConnectionEstablishment(
                        ibv_ece.vendor_id(native_), ibv_ece.options(native_), ibv_ece.comp_mask(native_));
            }
        });
    }
}
