// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.bindings.rdma_conn_param;
import io.github.rdma4j.verbs.device.DeviceAttributes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;

/**
 * Settings of a connect or an accept ({@code struct rdma_conn_param}). Each setter returns this object. Datagrams use
 * the private data and the queue pair number only.
 *
 * @since 0.1.0
 */
public final class ConnectConfig {
    /**
     * As many as the device supports and the peer requests ({@code RDMA_MAX_RESP_RES}, {@code RDMA_MAX_INIT_DEPTH}).
     */
    public static final int AS_MANY_AS_POSSIBLE = 0xff;

    private static final int MAX_RETRY_COUNT = 7;
    private static final int QUEUE_PAIR_NUMBER_BITS = 24;

    private byte[] privateData = {};
    private int responderResources = AS_MANY_AS_POSSIBLE;
    private int initiatorDepth = AS_MANY_AS_POSSIBLE;
    private boolean flowControl = true;
    private int retryCount = MAX_RETRY_COUNT;
    private int rnrRetryCount = MAX_RETRY_COUNT;
    private boolean sharedReceiveQueue;
    private int queuePairNumber;

    ConnectConfig() {}

    /**
     * Sets the data that the peer receives with the request or the response; default none.
     *
     * @param data at most {@link PortSpace#maxConnectData()} or {@link PortSpace#maxAcceptData()} bytes; the peer may
     *     see zeros after it
     * @return this
     */
    public ConnectConfig privateData(byte[] data) {
        privateData = data.clone();
        return this;
    }

    /**
     * Sets the maximum number of the peer's reads and atomics that this side serves at a time; default
     * {@link #AS_MANY_AS_POSSIBLE}.
     *
     * @param count 0 to the device's {@link DeviceAttributes#maxQueuePairReadAtomic()}
     * @return this
     */
    public ConnectConfig responderResources(int count) {
        responderResources = range("responder resources", count, AS_MANY_AS_POSSIBLE);
        return this;
    }

    /**
     * Sets the maximum number of reads and atomics that this side has outstanding at the peer; default
     * {@link #AS_MANY_AS_POSSIBLE}.
     *
     * @param count 0 to the device's {@link DeviceAttributes#maxQueuePairInitiatorReadAtomic()}
     * @return this
     */
    public ConnectConfig initiatorDepth(int count) {
        initiatorDepth = range("initiator depth", count, AS_MANY_AS_POSSIBLE);
        return this;
    }

    /**
     * Sets whether this side has end-to-end flow control; default true. The value is only sent to the peer.
     *
     * @param available true if so
     * @return this
     */
    public ConnectConfig flowControl(boolean available) {
        flowControl = available;
        return this;
    }

    /**
     * Sets the number of retransmissions without an acknowledgement; default 7. Ignored by an accept. SoftRoCE treats 7
     * as infinite, so it never reports that a peer is gone: use 6 there.
     *
     * @param count 0 to 7
     * @return this
     */
    public ConnectConfig retryCount(int count) {
        retryCount = range("retry count", count, MAX_RETRY_COUNT);
        return this;
    }

    /**
     * Sets how often the peer retries while this side has no receive posted. The default, 7, retries forever: if this
     * side never posts a receive, the send never completes and no error is reported. Use 6 during development to find
     * such mistakes. The peer retries every 0.64 ms, until {@link io.github.rdma4j.verbs.QueuePair#modify} of this side
     * sets another {@code minRnrTimer}.
     *
     * @param count 0 to 7
     * @return this
     */
    public ConnectConfig rnrRetryCount(int count) {
        rnrRetryCount = range("RNR retry count", count, MAX_RETRY_COUNT);
        return this;
    }

    /**
     * Sets whether the queue pair uses a shared receive queue; default false. For ids without their own queue pair.
     *
     * @param uses true if so
     * @return this
     */
    public ConnectConfig sharedReceiveQueue(boolean uses) {
        sharedReceiveQueue = uses;
        return this;
    }

    /**
     * Sets the queue pair to connect, for a program that moves it itself. The default is the queue pair of
     * {@link ConnectionId#useQueuePair} or {@link ConnectionId#createQueuePair}.
     *
     * @param number 24 bits
     * @return this
     */
    public ConnectConfig queuePairNumber(int number) {
        queuePairNumber = range("queue pair number", number, (1 << QUEUE_PAIR_NUMBER_BITS) - 1);
        return this;
    }

    private static int range(String name, int value, int high) {
        if (value < 0 || value > high) {
            throw new IllegalArgumentException("%s %d is not in 0..%d".formatted(name, value, high));
        }
        return value;
    }

    static void checkPrivateData(String call, PortSpace portSpace, byte[] data, int limit) {
        if (data.length > limit) {
            throw new IllegalArgumentException("%d bytes of private data: %s in the port space %s carries at most %d"
                    .formatted(data.length, call, portSpace, limit));
        }
    }

    /**
     * Replaces {@link #AS_MANY_AS_POSSIBLE} by numbers, and checks other values against the device's limits, because
     * librdmacm reports only EINVAL.
     *
     * @param wanted the peer's request; null if this side requests
     */
    void settle(DeviceContext context, ConnectionParameters wanted) {
        DeviceAttributes device = context.attributes();
        responderResources = settle(
                "responder resources",
                responderResources,
                Math.min(device.maxQueuePairReadAtomic(), AS_MANY_AS_POSSIBLE - 1),
                wanted == null ? AS_MANY_AS_POSSIBLE : wanted.responderResources(),
                context);
        initiatorDepth = settle(
                "initiator depth",
                initiatorDepth,
                Math.min(device.maxQueuePairInitiatorReadAtomic(), AS_MANY_AS_POSSIBLE - 1),
                wanted == null ? AS_MANY_AS_POSSIBLE : wanted.initiatorDepth(),
                context);
    }

    private static int settle(String name, int value, int limit, int wanted, DeviceContext context) {
        if (value == AS_MANY_AS_POSSIBLE) {
            return Math.min(limit, wanted);
        }
        if (value > limit) {
            throw new IllegalArgumentException("%s %d: device %s allows 0..%d"
                    .formatted(name, value, context.device().name(), limit));
        }
        return value;
    }

    MemorySegment write(SegmentAllocator allocator) {
        MemorySegment parameters = rdma_conn_param.allocate(allocator);
        if (privateData.length > 0) {
            rdma_conn_param.private_data(parameters, allocator.allocateFrom(ValueLayout.JAVA_BYTE, privateData));
            rdma_conn_param.private_data_len(parameters, (byte) privateData.length);
        }
        rdma_conn_param.responder_resources(parameters, (byte) responderResources);
        rdma_conn_param.initiator_depth(parameters, (byte) initiatorDepth);
        rdma_conn_param.flow_control(parameters, (byte) (flowControl ? 1 : 0));
        rdma_conn_param.retry_count(parameters, (byte) retryCount);
        rdma_conn_param.rnr_retry_count(parameters, (byte) rnrRetryCount);
        rdma_conn_param.srq(parameters, (byte) (sharedReceiveQueue ? 1 : 0));
        rdma_conn_param.qp_num(parameters, queuePairNumber);
        return parameters;
    }

    byte[] privateData() {
        return privateData;
    }

    int responderResources() {
        return responderResources;
    }

    int initiatorDepth() {
        return initiatorDepth;
    }

    int queuePairNumber() {
        return queuePairNumber;
    }
}
