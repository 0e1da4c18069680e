// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.endpoint.TransferException;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import java.lang.foreign.ValueLayout;
import java.util.function.IntConsumer;

/**
 * Receives the events of both transports of an endpoint with failover. It passes events of messages and transfers to
 * the protocol, as if they came from one wire that does not fail, and events of migrations to {@link Mover}. Used with
 * the endpoint's lock held.
 */
final class FailoverListener implements Outbox.Listener {
    private final EndpointTransport tcp;
    private final RdmaConnection rdma;
    private final FailoverBuffers buffers;
    private final int depth;
    /** Receives the slots of migration messages that are free again. */
    private final IntConsumer wordSent;

    private final Tcp fromTcp = new Tcp();
    private final Rdma fromRdma = new Rdma();
    private Protocol protocol;
    private Outbox outbox;
    private Mover mover;
    private String name = "an endpoint";
    private String tcpLost;
    private int events;

    FailoverListener(
            EndpointTransport tcp, RdmaConnection rdma, FailoverBuffers buffers, int depth, IntConsumer wordSent) {
        this.tcp = tcp;
        this.rdma = rdma;
        this.buffers = buffers;
        this.depth = depth;
        this.wordSent = wordSent;
    }

    /** Sets the outbox and the mover, before anything else is called. */
    void of(Outbox newOutbox, Mover newMover) {
        outbox = newOutbox;
        mover = newMover;
    }

    /** Sets the protocol, before anything else is called. */
    void serve(Protocol newProtocol) {
        protocol = newProtocol;
        name = newProtocol.toString();
    }

    WireEvents ofTcp() {
        return fromTcp;
    }

    WireEvents ofRdma() {
        return fromRdma;
    }

    /** {@return why TCP was lost; null if it was not} */
    String tcpLost() {
        return tcpLost;
    }

    /** Adds events that {@link #takeEvents} counts. */
    void count(int more) {
        events += more;
    }

    /** {@return how many events there were since the last call} */
    int takeEvents() {
        int count = events;
        events = 0;
        return count;
    }

    /** Handles a violation of the protocol by the peer. */
    void violated(String how) {
        protocol.linkLost("the peer does not keep to the endpoint protocol: " + how);
    }

    /** Passes a message of the peer's program or protocol on. */
    private void deliver(EndpointTransport from, int buffer, int frame, long length) {
        if (length > buffers.size()) {
            protocol.received(-1, true, frame, length);
            return;
        }
        Message message = from.message(buffer, length);
        int room = buffers.receive(message.segment());
        ACCESS.close(message);
        if (room < 0) {
            if (protocol.isOpen()) {
                protocol.overrun();
            }
            return;
        }
        try {
            protocol.received(room, true, frame, length);
        } catch (Throwable e) {
            buffers.release(room);
            throw e;
        }
        outbox.creditsCame(Frame.credits(frame));
    }

    /** Receives the events of TCP. */
    private final class Tcp extends WireEvents {
        @Override
        public Protocol.State state() {
            return protocol.state();
        }

        @Override
        public void received(int buffer, boolean framed, int frame, long length) {
            // A message that is longer than a buffer has no buffer, whatever its kind.
            if (framed && buffer >= 0 && Frame.kind(frame) == Frame.MOVE) {
                Message message = tcp.message(buffer, length);
                byte[] bytes = message.segment().toArray(ValueLayout.JAVA_BYTE);
                ACCESS.close(message);
                receive(bytes);
            } else if (framed) {
                deliver(tcp, buffer, frame, length);
            } else {
                protocol.received(-1, false, frame, length);
            }
            if (buffer >= 0) {
                tcp.postReceive(buffer);
            }
        }

        private void receive(byte[] bytes) {
            MigrationMessage message = MigrationMessage.parse(bytes);
            if (message == null) {
                violated("words about a move that nobody understands");
            } else {
                events++;
                mover.received(message);
            }
        }

        @Override
        public void overrun() {
            protocol.overrun();
        }

        @Override
        public void sent(long id) {
            if (id >= depth && id < depth + FailoverTransport.WORDS) {
                wordSent.accept((int) id);
            } else {
                outbox.sent(id);
            }
        }

        @Override
        public void failed(long id, String reason, VerbsException cause) {
            if (id >= depth && id < depth + FailoverTransport.WORDS) {
                return;
            }
            protocol.failed(outbox.failOldest(), reason, cause);
        }

        @Override
        public void linkLost(String reason) {
            tcpLost = reason;
        }

        @Override
        public boolean interrupted(Error error) {
            return protocol.interrupted(error);
        }
    }

    /** Receives the events of RDMA. */
    private final class Rdma extends WireEvents {
        @Override
        public Protocol.State state() {
            return protocol.state();
        }

        @Override
        public void received(int buffer, boolean framed, int frame, long length) {
            if (!framed) {
                mover.fails("what came over RDMA is no message of an endpoint's");
                return;
            }
            int kind = Frame.kind(frame);
            if (mover.hearsRdma()) {
                deliver(rdma.wire(), buffer, frame, length);
                mover.received(frame);
            } else if (kind == Frame.TRIAL) {
                Message message = rdma.wire().message(buffer, length);
                mover.trial(message.segment());
                ACCESS.close(message);
            } else {
                mover.fails("a message has come over RDMA before its time");
            }
            int errno = rdma.wire().postReceive(buffer);
            if (errno != 0) {
                mover.fails("posting failed: " + VerbsException.describe(errno));
            }
        }

        @Override
        public void overrun() {
            protocol.overrun();
        }

        @Override
        public void sent(long id) {
            if (rdma.hasTrialsUnderWay()) {
                rdma.trialSent();
            } else {
                outbox.sent(id);
            }
        }

        @Override
        public void failed(long id, String reason, VerbsException cause) {
            boolean ours = (id & Protocol.RECEIVE) == 0 && !rdma.hasTrialsUnderWay() && outbox.isOverRdma();
            WorkCompletionStatus status = cause instanceof TransferException transfer ? transfer.status() : null;
            if (ours && isMistake(status)) {
                protocol.failed(outbox.failOldest(), reason, cause);
            } else if (status == WorkCompletionStatus.REM_ACCESS_ERR) {
                mover.refused(reason);
            } else {
                mover.fails(reason);
            }
        }

        /**
         * Returns whether a failure would repeat over TCP. REM_ACCESS_ERR may: its cause is a wrong key, or the memory
         * of a process that is ending, and only TCP can distinguish them.
         */
        private static boolean isMistake(WorkCompletionStatus status) {
            return switch (status) {
                case REM_INV_REQ_ERR, LOC_PROT_ERR, LOC_LEN_ERR -> true;
                case null, default -> false;
            };
        }

        @Override
        public void linkLost(String reason) {
            mover.fails(reason);
        }

        /** {@inheritDoc} Called for the queues of the group, which TCP does not use. */
        @Override
        public boolean interrupted(Error error) {
            mover.fails(interruption(error));
            return false;
        }
    }

    // ---- Results of posts ----

    @Override
    public void sent(Post post) {
        events++;
        protocol.sent(post.id);
    }

    @Override
    public void unknown(Post post) {
        events++;
        protocol.refuse(
                (int) post.id,
                ACCESS.transferException(
                        "an atomic operation over " + name,
                        WorkCompletionStatus.UNKNOWN,
                        "RDMA was left while it was under way: whether it took effect is unknown, and it was not"
                                + " repeated",
                        "read the value, and decide; the connection goes on"));
    }

    @Override
    public void refused(Post post, RuntimeException why) {
        events++;
        if (post.id != Post.NOBODY) {
            protocol.refuse((int) post.id, why);
        }
    }
}
