// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static io.github.rdma4j.verbs.QueuePairState.INIT;
import static io.github.rdma4j.verbs.QueuePairState.RTR;
import static io.github.rdma4j.verbs.QueuePairState.RTS;
import static io.github.rdma4j.verbs.QueuePairState.SQD;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairState;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.bindings.ibv_qp;
import io.github.rdma4j.verbs.device.TransportType;
import io.github.rdma4j.verbs.internal.CmCalls;
import io.github.rdma4j.verbs.internal.Errno;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Supplier;

/**
 * The queue pair of an id, which is moved through its states as librdmacm moves the queue pairs that it creates. Its
 * owner may close it at any time.
 *
 * @param queuePair the queue pair
 * @param owned whether it was created by the id, and is closed with it
 */
record ManagedQueuePair(QueuePair queuePair, boolean owned) {

    void requireSuitable(ConnectionId id, DeviceContext context) {
        String device = context.device().name();
        if (!queuePair.protectionDomain().context().device().name().equals(device)) {
            throw new IllegalArgumentException("%s: %s is bound to device %s".formatted(queuePair, id, device));
        }
        QueuePairType type = id.portSpace().queuePairType();
        if (queuePair.type() != type) {
            throw new IllegalArgumentException("%s is %s: the port space %s is for %s"
                    .formatted(queuePair, queuePair.type(), id.portSpace(), type));
        }
    }

    /** Returns the same value as librdmacm for its own queue pairs. */
    boolean hasSharedReceiveQueue() {
        MemorySegment native_ = MemorySegment.ofAddress(queuePair.handle()).reinterpret(ibv_qp.sizeof());
        return ibv_qp.srq(native_).address() != 0;
    }

    /** Moves it from RESET: it accepts receives, and a datagram queue pair can also send. */
    void prepare(ConnectionId id) {
        EceHandshake.offer(id, queuePair);
        queuePair.modify(id.step(INIT));
        if (id.portSpace().isDatagram()) {
            queuePair.modify(config -> config.state(RTR));
            queuePair.modify(config -> config.state(RTS).sendPacketSequenceNumber(0));
        }
        EceHandshake.answer(id, queuePair);
    }

    /** For the passive side, where the response that will be sent determines the counts. */
    void accept(ConnectionId id, ConnectConfig answer) {
        queuePair.modify(id.step(INIT));
        if (isIwarp()) {
            // The counts are only in the response.
            queuePair.modify(id.step(RTR));
            queuePair.modify(id.step(RTS));
            return;
        }
        queuePair.modify(config -> {
            id.step(RTR).accept(config);
            config.maxDestinationReadAtomic(answer.responderResources());
        });
        queuePair.modify(config -> {
            id.step(RTS).accept(config);
            config.maxReadAtomic(answer.initiatorDepth());
        });
    }

    /**
     * Completes a client's connection, which librdmacm does within rdma_get_cm_event(3). The connection manager has the
     * counts from the peer's response.
     */
    CmEvent complete(CmEvent event) {
        ConnectionId id = event.id();
        try {
            EceHandshake.accept(id, queuePair);
            for (QueuePairState state : List.of(INIT, RTR, RTS)) {
                queuePair.modify(ofConnection(() -> id.step(state)));
            }
            ofConnection(() -> {
                id.establish();
                return null;
            });
            return event.as(CmEventType.ESTABLISHED, null);
        } catch (VerbsException e) {
            return failed(event, e);
        } catch (IllegalStateException | IllegalArgumentException e) {
            // The queue pair is closed, or does not support what the peer requests.
            VerbsException failure = new VerbsException(
                    "completing " + id,
                    Errno.EINVAL,
                    e.getMessage(),
                    "keep the queue pair open until it is connected, and ask for no more than its device can do");
            failure.initCause(e);
            return failed(event, failure);
        }
    }

    /** Calls the connection manager, which returns EINVAL if the server has ended the connection after its response. */
    private static <T> T ofConnection(Supplier<T> call) {
        try {
            return call.get();
        } catch (VerbsException e) {
            throw e.errno() == Errno.EINVAL ? CmStatus.serverGone(e) : e;
        }
    }

    private CmEvent failed(CmEvent event, VerbsException failure) {
        abandon();
        // Otherwise the peer would wait for its timeout. If the reject fails, it does.
        CmCalls.reject(event.id().segment(), MemorySegment.NULL, (byte) 0);
        return event.as(CmEventType.CONNECT_ERROR, failure);
    }

    /** Called before a disconnect: outstanding requests are flushed; iWARP drains them instead. */
    void shutDown() {
        if (isIwarp()) {
            queuePair.modify(config -> config.state(SQD));
        } else {
            queuePair.toError();
        }
    }

    private boolean isIwarp() {
        return queuePair.protectionDomain().context().device().transportType() == TransportType.IWARP;
    }

    /**
     * Called after a failure that is reported anyway, so further failures of a queue pair that is closed or cannot be
     * moved are ignored.
     */
    void abandon() {
        try {
            queuePair.toError();
        } catch (VerbsException | IllegalStateException e) {
            // The connection has failed already.
        }
    }
}
