// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.QueuePairAttribute.*;

import io.github.rdma4j.verbs.bindings.ibv_qp_attr;
import io.github.rdma4j.verbs.device.DeviceAttributes;
import io.github.rdma4j.verbs.device.Mtu;
import io.github.rdma4j.verbs.device.PortAttributes;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Objects;

/**
 * The attributes of a queue pair to change (the arguments of ibv_modify_qp(3)). Attributes that are not set here do not
 * change. Each setter returns this object, and adds its attribute to the mask:
 * {@code qp.modify(a -> a.state(INIT).port(1)…)}. Valid only within {@link QueuePair#modify}.
 *
 * @since 0.1.0
 */
public final class QueuePairAttributesConfig {
    private static final int PACKET_SEQUENCE_NUMBER = (1 << 24) - 1;

    private final MemorySegment attributes;
    private final EnumSet<QueuePairAttribute> given = EnumSet.noneOf(QueuePairAttribute.class);

    /** Writes into a zeroed {@code struct ibv_qp_attr}. */
    QueuePairAttributesConfig(MemorySegment attributes) {
        this.attributes = attributes;
    }

    /**
     * Sets the next state. Each transition has required and optional attributes; if it is refused, the message names
     * what was wrong.
     *
     * @param state the next state
     * @return this
     */
    public QueuePairAttributesConfig state(QueuePairState state) {
        ibv_qp_attr.qp_state(attributes, code(state));
        return set(STATE);
    }

    /**
     * Sets the assumed current state: the modification fails if the queue pair has left it.
     *
     * @param state RTR, RTS, SQD or SQE
     * @return this
     */
    public QueuePairAttributesConfig currentState(QueuePairState state) {
        ibv_qp_attr.cur_qp_state(attributes, code(state));
        return set(CUR_STATE);
    }

    /**
     * Sets whether an event ({@code IBV_EVENT_SQ_DRAINED}) reports that the send queue has drained; for the transition
     * from RTS to SQD.
     *
     * @param notify true for an event
     * @return this
     */
    public QueuePairAttributesConfig notifySendQueueDrained(boolean notify) {
        ibv_qp_attr.en_sqd_async_notify(attributes, (byte) (notify ? 1 : 0));
        return set(EN_SQD_ASYNC_NOTIFY);
    }

    /**
     * Sets the peer's rights through this queue pair.
     *
     * @param access of {@link AccessFlag#REMOTE_WRITE}, {@link AccessFlag#REMOTE_READ},
     *     {@link AccessFlag#REMOTE_ATOMIC}; none to allow sends only
     * @return this
     */
    public QueuePairAttributesConfig remoteAccess(AccessFlag... access) {
        return remoteAccess(AccessFlag.mask(access));
    }

    QueuePairAttributesConfig remoteAccess(int mask) {
        ibv_qp_attr.qp_access_flags(attributes, mask);
        return set(ACCESS_FLAGS);
    }

    /**
     * Sets the partition, by the index of its key.
     *
     * @param index from 0, less than the port's {@link PortAttributes#partitionTableLength()}
     * @return this
     */
    public QueuePairAttributesConfig partitionKeyIndex(int index) {
        ibv_qp_attr.pkey_index(attributes, (short) range("partition key index", index, 0xffff));
        return set(PKEY_INDEX);
    }

    /**
     * Sets the port of the device.
     *
     * @param number from 1
     * @return this
     */
    public QueuePairAttributesConfig port(int number) {
        ibv_qp_attr.port_num(attributes, (byte) range("port", number, 255));
        return set(PORT);
    }

    /**
     * Sets the queue key: datagrams with another key are dropped.
     *
     * @param key 32 bits; with the highest bit set it is a controlled key, which needs CAP_NET_RAW
     * @return this
     */
    public QueuePairAttributesConfig queueKey(int key) {
        ibv_qp_attr.qkey(attributes, key);
        return set(QKEY);
    }

    /**
     * Sets the path to the peer.
     *
     * @param path the address vector
     * @return this
     */
    public QueuePairAttributesConfig path(AddressHandleAttributes path) {
        path.write(ibv_qp_attr.ah_attr(attributes).fill((byte) 0));
        return set(AV);
    }

    /**
     * Sets the payload size of a packet.
     *
     * @param mtu at most the active MTU of both ports
     * @return this
     */
    public QueuePairAttributesConfig pathMtu(Mtu mtu) {
        if (mtu == Mtu.UNKNOWN) {
            throw new IllegalArgumentException("the MTU is unknown");
        }
        ibv_qp_attr.path_mtu(attributes, mtu.code());
        return set(PATH_MTU);
    }

    /**
     * Sets the time to wait for an acknowledgement: 4.096 microseconds times two to this power.
     *
     * @param exponent 0 to 31; 0 waits forever
     * @return this
     */
    public QueuePairAttributesConfig timeout(int exponent) {
        ibv_qp_attr.timeout(attributes, (byte) range("timeout", exponent, 31));
        return set(TIMEOUT);
    }

    /**
     * Sets the number of retransmissions before {@link WorkCompletionStatus#RETRY_EXC_ERR}.
     *
     * @param count 0 to 7
     * @return this
     */
    public QueuePairAttributesConfig retryCount(int count) {
        ibv_qp_attr.retry_cnt(attributes, (byte) range("retry count", count, 7));
        return set(RETRY_CNT);
    }

    /**
     * Sets the number of retries while the peer has no receive posted, before
     * {@link WorkCompletionStatus#RNR_RETRY_EXC_ERR}.
     *
     * @param count 0 to 7; 7 is infinite
     * @return this
     */
    public QueuePairAttributesConfig rnrRetry(int count) {
        ibv_qp_attr.rnr_retry(attributes, (byte) range("RNR retry count", count, 7));
        return set(RNR_RETRY);
    }

    /**
     * Sets the first packet number that the peer sends.
     *
     * @param number 24 bits
     * @return this
     */
    public QueuePairAttributesConfig receivePacketSequenceNumber(int number) {
        ibv_qp_attr.rq_psn(attributes, range("receive packet sequence number", number, PACKET_SEQUENCE_NUMBER));
        return set(RQ_PSN);
    }

    /**
     * Sets the maximum number of outstanding reads and atomics.
     *
     * @param count 0 to 255, at most the device's {@link DeviceAttributes#maxQueuePairInitiatorReadAtomic()}
     * @return this
     */
    public QueuePairAttributesConfig maxReadAtomic(int count) {
        ibv_qp_attr.max_rd_atomic(attributes, (byte) range("reads and atomics outstanding", count, 255));
        return set(MAX_QP_RD_ATOMIC);
    }

    /**
     * Sets the path to migrate to when the primary path fails. InfiniBand only.
     *
     * @param path the path to the peer
     * @param partitionKeyIndex the partition on this path, by the index of its key
     * @param timeout 0 to 31, as {@link #timeout}
     * @return this
     */
    public QueuePairAttributesConfig alternatePath(AddressHandleAttributes path, int partitionKeyIndex, int timeout) {
        ibv_qp_attr.alt_pkey_index(
                attributes, (short) range("partition key index of the alternate path", partitionKeyIndex, 0xffff));
        ibv_qp_attr.alt_timeout(attributes, (byte) range("timeout of the alternate path", timeout, 31));
        ibv_qp_attr.alt_port_num(attributes, (byte) path.port());
        path.write(ibv_qp_attr.alt_ah_attr(attributes).fill((byte) 0));
        return set(ALT_PATH);
    }

    /**
     * Sets how long a peer waits before it retries, if this side had no receive posted; a code.
     *
     * @param code 0 to 31; 0 is the longest, 655 ms; 12 is 0.64 ms
     * @return this
     */
    public QueuePairAttributesConfig minRnrTimer(int code) {
        ibv_qp_attr.min_rnr_timer(attributes, (byte) range("minimal RNR timer", code, 31));
        return set(MIN_RNR_TIMER);
    }

    /**
     * Sets the first packet number that this side sends.
     *
     * @param number 24 bits
     * @return this
     */
    public QueuePairAttributesConfig sendPacketSequenceNumber(int number) {
        ibv_qp_attr.sq_psn(attributes, range("send packet sequence number", number, PACKET_SEQUENCE_NUMBER));
        return set(SQ_PSN);
    }

    /**
     * Sets the maximum number of the peer's reads and atomics that this side serves at a time.
     *
     * @param count 0 to 255, at most the device's {@link DeviceAttributes#maxQueuePairReadAtomic()}
     * @return this
     */
    public QueuePairAttributesConfig maxDestinationReadAtomic(int count) {
        ibv_qp_attr.max_dest_rd_atomic(attributes, (byte) range("reads and atomics served", count, 255));
        return set(MAX_DEST_RD_ATOMIC);
    }

    /**
     * Arms or starts path migration. InfiniBand only.
     *
     * @param state REARM once the alternate path is loaded, MIGRATED to migrate now
     * @return this
     */
    public QueuePairAttributesConfig pathMigrationState(PathMigrationState state) {
        if (state == PathMigrationState.UNKNOWN) {
            throw new IllegalArgumentException("the path migration state is unknown");
        }
        ibv_qp_attr.path_mig_state(attributes, state.ordinal());
        return set(PATH_MIG_STATE);
    }

    /**
     * Sets other sizes of the queues, on a device that can resize them ({@code IBV_DEVICE_RESIZE_MAX_WR}). No
     * transition of the state table takes this attribute, and few drivers support it.
     *
     * @param capabilities the sizes
     * @return this
     */
    public QueuePairAttributesConfig capabilities(QueuePairCapabilities capabilities) {
        capabilities.write(ibv_qp_attr.cap(attributes));
        return set(CAP);
    }

    /**
     * Sets the peer's queue pair.
     *
     * @param number 24 bits
     * @return this
     */
    public QueuePairAttributesConfig destinationQueuePairNumber(int number) {
        ibv_qp_attr.dest_qp_num(attributes, range("destination queue pair number", number, PACKET_SEQUENCE_NUMBER));
        return set(DEST_QPN);
    }

    /**
     * Sets packet pacing; see also {@link QueuePair#modifyRateLimit}.
     *
     * @param kilobitsPerSecond 0 for none, to 2^32 - 1
     * @return this
     */
    public QueuePairAttributesConfig rateLimit(long kilobitsPerSecond) {
        if (kilobitsPerSecond < 0 || kilobitsPerSecond >>> Integer.SIZE != 0) {
            throw new IllegalArgumentException("rate limit " + kilobitsPerSecond + " kbit/s has more than 32 bits");
        }
        ibv_qp_attr.rate_limit(attributes, (int) kilobitsPerSecond);
        return set(RATE_LIMIT);
    }

    private QueuePairAttributesConfig set(QueuePairAttribute attribute) {
        given.add(attribute);
        return this;
    }

    private static int code(QueuePairState state) {
        if (Objects.requireNonNull(state, "state") == QueuePairState.UNKNOWN) {
            throw new IllegalArgumentException("the state is unknown");
        }
        return state.ordinal();
    }

    private static int range(String name, int value, int high) {
        if (value < 0 || value > high) {
            throw new IllegalArgumentException("%s %d is not in 0..%d".formatted(name, value, high));
        }
        return value;
    }

    /** Returns the attributes that were set, in the order of the header. */
    EnumSet<QueuePairAttribute> given() {
        return given;
    }

    MemorySegment segment() {
        return attributes;
    }

    /** Returns the values; values that were not set are undefined. */
    QueuePairAttributes values() {
        return QueuePairAttributes.read(attributes);
    }
}
