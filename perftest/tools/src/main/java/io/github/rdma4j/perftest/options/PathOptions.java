// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.verbs.device.LinkLayer;

/** The device, its port, and the path to the peer's. */
public final class PathOptions {
    /** The hop limit that the C tools use in each route, regardless of -L. */
    private static final int MOST_HOPS = 255;

    private String device;
    private int devicePort;
    private Integer gidIndex;
    private boolean ipv6;
    private int mtu;
    private int queuePairTimeout;
    private int serviceLevel;
    private int trafficClass;
    private Integer hopLimit;
    private int partitionKeyIndex;
    private Integer destinationLid;
    private FlowLabels flowLabels;
    private LinkLayer forcedLink;

    void declare(OptionList options) {
        options.value(String.class, "-d", "--ib-dev")
                .label("<dev>")
                .description("Use RDMA device <dev> (default first device found).")
                .into(value -> device = value);
        options.number("-i", "--ib-port")
                .label("<port>")
                .within(1, 255)
                .description("Use port <port> of the device (default 1).")
                .initially(1)
                .into(value -> devicePort = value);
        options.number("-x", "--gid-index")
                .label("<index>")
                .within(0, 255)
                .description("Use the GID with this index (default: none on InfiniBand, the best RoCE v2 GID on"
                        + " Ethernet).")
                .into(value -> gidIndex = value);
        options.flag("--ipv6")
                .description("Use an IPv6 GID (default: an IPv4 GID, if there is one).")
                .into(value -> ipv6 = value);
        options.number("-m", "--mtu")
                .label("<mtu>")
                .within(256, 4096)
                .powersOfTwo()
                .description("MTU size: 256 - 4096 (default port mtu).")
                .initially(0)
                .into(value -> mtu = value);
        // 0 means no timeout, so a failed peer would not be noticed.
        options.number("-u", "--qp-timeout")
                .label("<timeout>")
                .within(1, 31)
                .description("QP timeout, 4.096 usec * 2^timeout (default 14).")
                .initially(14)
                .into(value -> queuePairTimeout = value);
        options.number("-S", "--sl")
                .label("<sl>")
                .within(0, 15)
                .description("Service level (default 0).")
                .initially(0)
                .into(value -> serviceLevel = value);
        options.number("--tclass")
                .label("<value>")
                .within(0, 255)
                .description("Traffic class of the packets' global route header (default 0).")
                .initially(0)
                .into(value -> trafficClass = value);
        options.number("-L", "--hop_limit")
                .label("<hops>")
                .within(0, 255)
                .description("Hop limit of the packets' global route header (default 255).")
                .into(value -> hopLimit = value);
        options.number("--pkey_index")
                .label("<index>")
                .within(0, 65_535)
                .description("Index into the port's table of partition keys (default 0).")
                .initially(0)
                .into(value -> partitionKeyIndex = value);
        options.number("--dlid")
                .label("<lid>")
                .within(1, 65_535)
                .description("Send to this LID instead of the peer's.")
                .into(value -> destinationLid = value);
        options.value(FlowLabels.class, "--flow_label")
                .label("<fl0,fl1,...>")
                .converter(new FlowLabels.Converter())
                .description("Flow labels of the queue pairs' global route headers, in turn (default 0). Adapters"
                        + " derive RoCE's UDP source port from a label other than 0.")
                .into(value -> flowLabels = value);
        options.value(LinkLayer.class, "--force-link")
                .label("<link>")
                .converter(new ForcedLink())
                .description("Treat the port as IB (LIDs only, unless -x) or Ethernet (always a GID).")
                .into(value -> forcedLink = value);
    }

    /** Name of the RDMA device; null for the first one. */
    public String device() {
        return device;
    }

    /** Port of the device, from 1. */
    public int devicePort() {
        return devicePort;
    }

    /** Index into the port's GID table; -1 to choose. */
    public int gidIndex() {
        return gidIndex != null ? gidIndex : -1;
    }

    /** Returns whether to choose a GID that does not represent an IPv4 address. */
    public boolean ipv6() {
        return ipv6;
    }

    /** Path MTU in bytes; 0 for the port's active one. */
    public int mtu() {
        return mtu;
    }

    /** Local ACK timeout, 4.096 µs × 2^n. */
    public int queuePairTimeout() {
        return queuePairTimeout;
    }

    /** Traffic class, 0 to 255. */
    public int trafficClass() {
        return trafficClass;
    }

    /** Hop limit, 0 to 255. */
    public int hopLimit() {
        return hopLimit != null ? hopLimit : MOST_HOPS;
    }

    /** Index into the port's table of partition keys. */
    public int partitionKeyIndex() {
        return partitionKeyIndex;
    }

    /** The flow label of a queue pair, counted from 0: 20 bits. */
    public int flowLabel(int queuePair) {
        return (flowLabels != null ? flowLabels : FlowLabels.NONE).of(queuePair);
    }

    /** Returns whether flow labels were requested. Only packets with a global route contain them. */
    public boolean hasFlowLabels() {
        return flowLabels != null;
    }

    /** Returns the link layer to assume for a port that reports this one. */
    public LinkLayer linkLayer(LinkLayer reported) {
        return forcedLink != null ? forcedLink : reported;
    }

    /** Returns the LID to send to if the peer reports this one. */
    public int destinationLid(int reported) {
        return destinationLid != null ? destinationLid : reported;
    }

    /** Service level, 0 to 15. */
    public int serviceLevel() {
        return serviceLevel;
    }

    /** Ignores options whose values rdma_cm takes from the addresses and the routing table, as the C tools do. */
    void ignoreForRdmaCm(Adjustments adjustments) {
        IllegalParameterException.when(
                hopLimit != null && hopLimit != MOST_HOPS,
                "-L/--hop_limit: not together with -R/--rdma_cm, where rdma_cm sets it");
        if (ignored(
                adjustments, gidIndex != null, "-x/--gid-index", "the addresses of both sides say which GID is used")) {
            gidIndex = null;
        }
        if (ignored(adjustments, ipv6, "--ipv6", "the server's address says which GID is used")) {
            ipv6 = false;
        }
        if (ignored(adjustments, mtu != 0, "-m/--mtu", "the route has the MTU")) {
            mtu = 0;
        }
        if (ignored(adjustments, serviceLevel != 0, "-S/--sl", "the service level follows from -T/--tos")) {
            serviceLevel = 0;
        }
        if (ignored(adjustments, trafficClass != 0, "--tclass", "the traffic class follows from -T/--tos")) {
            trafficClass = 0;
        }
        if (ignored(adjustments, partitionKeyIndex != 0, "--pkey_index", "the network interface has its partition")) {
            partitionKeyIndex = 0;
        }
        if (ignored(adjustments, destinationLid != null, "--dlid", "the route has the LID")) {
            destinationLid = null;
        }
        if (ignored(adjustments, flowLabels != null, "--flow_label", "the kernel chooses the flow label")) {
            flowLabels = null;
        }
    }

    private static boolean ignored(Adjustments adjustments, boolean given, String option, String reason) {
        return adjustments.when(given, option + " has no effect with -R/--rdma_cm: " + reason);
    }
}
