// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.device.DeviceAttributes;
import io.github.rdma4j.verbs.device.Mtu;
import java.util.Objects;

/**
 * Settings of a connection (the attributes of the transitions to RTR and RTS). Each setter returns this object.
 *
 * @since 0.1.0
 */
public final class ConnectionConfig {
    private static final int NOT_SET = -1;

    private Mtu pathMtu = Mtu.MTU_4096;
    private int timeout = 14;
    private int retryCount = 7;
    private int rnrRetry = 7;
    private int minRnrTimer = 12;
    private int serviceLevel;
    private int trafficClass;
    private int hopLimit = 64;
    private int flowLabel;
    private int maxReadAtomic = NOT_SET;
    private int maxDestinationReadAtomic = NOT_SET;

    ConnectionConfig() {}

    /**
     * Sets an upper bound of the path MTU; default none. The path MTU is the smallest of this bound and the active MTUs
     * of both ports. Set the same bound on both sides: with different MTUs, longer messages fail with
     * {@link WorkCompletionStatus#REM_INV_REQ_ERR}.
     *
     * @param mtu the bound
     * @return this
     */
    public ConnectionConfig pathMtu(Mtu mtu) {
        pathMtu = Objects.requireNonNull(mtu, "path MTU");
        return this;
    }

    /**
     * Sets the time to wait for an acknowledgement: 4.096 microseconds times two to this power. The default is 14,
     * which is 67 ms; 0 waits forever.
     *
     * @param exponent 0 to 31
     * @return this
     */
    public ConnectionConfig timeout(int exponent) {
        timeout = range("timeout", exponent, 31);
        return this;
    }

    /**
     * Sets the number of retransmissions before {@link WorkCompletionStatus#RETRY_EXC_ERR}; default 7. SoftRoCE treats
     * 7 as infinite, so it never reports that a peer is gone: use 6 there.
     *
     * @param count 0 to 7
     * @return this
     */
    public ConnectionConfig retryCount(int count) {
        retryCount = range("retry count", count, 7);
        return this;
    }

    /**
     * Sets the number of retries while the peer has no receive posted, before
     * {@link WorkCompletionStatus#RNR_RETRY_EXC_ERR}. The default, 7, retries forever: if the peer never posts a
     * receive, the send never completes and no error is reported. Use 6 during development to find such mistakes.
     *
     * @param count 0 to 7
     * @return this
     */
    public ConnectionConfig rnrRetry(int count) {
        rnrRetry = range("RNR retry count", count, 7);
        return this;
    }

    /**
     * Sets how long a peer must wait before it retries, if this side had no receive posted; a code, by default 12,
     * which is 0.64 ms.
     *
     * @param code 0 to 31; 0 is the longest, 655 ms
     * @return this
     */
    public ConnectionConfig minRnrTimer(int code) {
        minRnrTimer = range("minimal RNR timer", code, 31);
        return this;
    }

    /**
     * Sets the service level; default 0.
     *
     * @param level 0 to 15; on RoCE the Ethernet priority, 0 to 7
     * @return this
     */
    public ConnectionConfig serviceLevel(int level) {
        serviceLevel = range("service level", level, 15);
        return this;
    }

    /**
     * Sets the traffic class of the global route, which on RoCE v2 is the DSCP and ECN bits of the IP header; default
     * 0.
     *
     * @param value 0 to 255
     * @return this
     */
    public ConnectionConfig trafficClass(int value) {
        trafficClass = range("traffic class", value, 255);
        return this;
    }

    /**
     * Sets the hop limit of the global route; default 64.
     *
     * @param hops 0 to 255
     * @return this
     */
    public ConnectionConfig hopLimit(int hops) {
        hopLimit = range("hop limit", hops, 255);
        return this;
    }

    /**
     * Sets the flow label of the global route, which identifies a flow to routers; default 0. On RoCE v2 an adapter
     * derives the UDP source port of its packets from a flow label other than 0, see
     * {@link GlobalRoute#udpSourcePort(int)}. SoftRoCE stores the flow label but does not use it.
     *
     * @param label 20 bits, 0 to 0xfffff
     * @return this
     */
    public ConnectionConfig flowLabel(int label) {
        flowLabel = range("flow label", label, 0xfffff);
        return this;
    }

    /**
     * Sets the maximum number of reads and atomics that this side has outstanding; default 1, or 0 if the device allows
     * none.
     *
     * @param count 0 to 255, at most what the peer serves and the device's
     *     {@link DeviceAttributes#maxQueuePairInitiatorReadAtomic()}
     * @return this
     */
    public ConnectionConfig maxReadAtomic(int count) {
        maxReadAtomic = range("reads and atomics outstanding", count, 255);
        return this;
    }

    /**
     * Sets the maximum number of the peer's reads and atomics that this side serves at a time; default 1, or 0 if the
     * device allows none.
     *
     * @param count 0 to 255, at most the device's {@link DeviceAttributes#maxQueuePairReadAtomic()}
     * @return this
     */
    public ConnectionConfig maxDestinationReadAtomic(int count) {
        maxDestinationReadAtomic = range("reads and atomics served", count, 255);
        return this;
    }

    /**
     * Sets the defaults that depend on the device, and checks the other values before the first transition. A value
     * that only the second transition refuses would leave the queue pair half connected.
     */
    void settle(DeviceContext context) {
        settleReads(context.limits());
        QueuePairModification.checkReadAtomic(context, maxReadAtomic);
        QueuePairModification.checkDestinationReadAtomic(context, maxDestinationReadAtomic);
    }

    void settleReads(DeviceAttributes limits) {
        if (maxReadAtomic == NOT_SET) {
            maxReadAtomic = Math.min(1, limits.maxQueuePairInitiatorReadAtomic());
        }
        if (maxDestinationReadAtomic == NOT_SET) {
            maxDestinationReadAtomic = Math.min(1, limits.maxQueuePairReadAtomic());
        }
    }

    private static int range(String name, int value, int high) {
        if (value < 0 || value > high) {
            throw new IllegalArgumentException("%s %d is not in 0..%d".formatted(name, value, high));
        }
        return value;
    }

    Mtu pathMtu() {
        return pathMtu;
    }

    int timeout() {
        return timeout;
    }

    int retryCount() {
        return retryCount;
    }

    int rnrRetry() {
        return rnrRetry;
    }

    int minRnrTimer() {
        return minRnrTimer;
    }

    int serviceLevel() {
        return serviceLevel;
    }

    int trafficClass() {
        return trafficClass;
    }

    int hopLimit() {
        return hopLimit;
    }

    int flowLabel() {
        return flowLabel;
    }

    int maxReadAtomic() {
        return maxReadAtomic;
    }

    int maxDestinationReadAtomic() {
        return maxDestinationReadAtomic;
    }
}
