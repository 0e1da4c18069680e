// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.perftest.gpu.Gpu;
import io.github.rdma4j.perftest.options.ConnectionType;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Verb;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.device.DeviceAttributes;
import io.github.rdma4j.verbs.device.DeviceCapability;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.GidType;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.Mtu;
import io.github.rdma4j.verbs.device.PortAttributes;
import io.github.rdma4j.verbs.device.PortState;
import io.github.rdma4j.verbs.device.TransportType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The opened device of a test, with its port, the GID to use and the path MTU to offer. It checks the parameters
 * against the limits of the device, so that an error names the option instead of a verb.
 */
public final class RunDevice implements AutoCloseable {
    /** The default inline size of latency tests, where the adapter has one: for writes, messages and datagrams. */
    private static final int INLINE_WRITE = 220;

    /** SoftiWARP's vendor ID; SoftiWARP also has a part number. */
    private static final int SOFT_IWARP_VENDOR = 0x626d74;

    private static final int VMWARE_PARAVIRTUAL = 0x820;

    private static final int INLINE_SEND = 236;
    private static final int INLINE_DATAGRAM = 188;

    /** The attributes of a queue pair have eight bits for it. */
    private static final int MOST_OUTSTANDING = 255;

    private final List<String> adjustments = new ArrayList<>();
    private final DeviceContext context;
    private final PortAttributes port;
    private final LinkLayer linkLayer;
    private final GidEntry gid;
    private final Mtu mtu;
    /** Null without SRD. */
    private final SrdLimits srd;

    private final int inlineSize;
    private final int outstandingReads;
    /** Null for host memory. */
    private final Gpu gpu;

    private RunDevice(DeviceContext context, Gpu gpu, RunParameters parameters) {
        this.context = context;
        this.gpu = gpu;
        this.port = activePort(parameters);
        this.linkLayer = parameters.path().linkLayer(port.linkLayer());
        this.srd = parameters.connection() == ConnectionType.SRD ? SrdLimits.of(context, port, parameters) : null;
        checkLimits(parameters);
        this.gid = chooseGid(parameters);
        this.mtu = chooseMtu(parameters);
        this.inlineSize = chooseInlineSize(parameters);
        this.outstandingReads = chooseOutstandingReads(parameters);
    }

    /**
     * Opens the device that the parameters name, or the first one.
     *
     * @throws IllegalParameterException when a parameter exceeds the limits of the device
     * @throws RunFailedException when its port is not active
     */
    public static RunDevice open(RunParameters parameters) {
        if (!parameters.gpu().wanted()) {
            return open(parameters, null);
        }
        Gpu gpu = Gpu.open(parameters.gpu());
        try {
            return open(parameters, gpu);
        } catch (RuntimeException | Error failure) {
            gpu.close();
            throw failure;
        }
    }

    private static RunDevice open(RunParameters parameters, Gpu gpu) {
        Optional<CmRoute> route = CmRoute.of(parameters);
        DeviceContext context = DeviceContext.open(Device.find(name(parameters, route)));
        try {
            RunDevice device = new RunDevice(context, gpu, parameters);
            route.ifPresent(known ->
                    known.requireOn(device.deviceName(), parameters.path().devicePort()));
            return device;
        } catch (RuntimeException | Error failure) {
            context.close();
            throw failure;
        }
    }

    private static String name(RunParameters parameters, Optional<CmRoute> route) {
        if (parameters.path().device() != null) {
            return parameters.path().device();
        }
        if (route.isPresent()) {
            return route.get().device();
        }
        List<Device> devices = Device.list();
        // Without any device, a search for any name reports why there is none.
        return devices.isEmpty() ? "" : devices.getFirst().name();
    }

    private PortAttributes activePort(RunParameters parameters) {
        int ports = context.attributes().physicalPortCount();
        refuse(
                parameters.path().devicePort() > ports,
                "-i/--ib-port: " + parameters.path().devicePort() + " is not allowed; " + deviceName() + " has port"
                        + (ports == 1 ? " 1 only" : "s 1 to " + ports));
        PortAttributes attributes = context.port(parameters.path().devicePort());
        checkPartition(parameters, deviceName(), attributes.partitionTableLength());
        if (attributes.state() != PortState.ACTIVE) {
            throw new RunFailedException(
                    "port " + parameters.path().devicePort() + " of " + deviceName() + " is " + attributes.state()
                            + ", not ACTIVE",
                    attributes.linkLayer() == LinkLayer.ETHERNET
                            ? "check cable and switch, and that its network interface is up: rdma link shows its name and state"
                            : "see that the cable is plugged in and a subnet manager runs");
        }
        return attributes;
    }

    /** Index 0 is the default, also of an iWARP device, which has no partitions. */
    static void checkPartition(RunParameters parameters, String device, int partitions) {
        int index = parameters.path().partitionKeyIndex();
        refuse(
                index > 0 && index >= partitions,
                "--pkey_index: " + index + " is not allowed; " + device
                        + switch (partitions) {
                            case 0 -> " has no partition keys";
                            case 1 -> " has partition key 0 only";
                            default -> " has partition keys 0 to " + (partitions - 1);
                        });
    }

    private void checkLimits(RunParameters parameters) {
        DeviceAttributes limits = context.attributes();
        if (isIwarp()) {
            IwarpLimits.check(deviceName(), parameters);
        }
        refuse(
                parameters.connection() == ConnectionType.XRC
                        && !limits.capabilities().contains(DeviceCapability.XRC),
                "-c/--connection: XRC is not allowed; " + deviceName() + " has no extended reliable connections");
        refuse(
                context.device().transportType() == TransportType.UNSPECIFIED
                        && !parameters.connection().isDatagram(),
                "-c/--connection: " + parameters.connection() + " is not allowed; " + deviceName()
                        + " has no connections. On an Elastic Fabric Adapter, give -c SRD -x 0 on both sides");
        // The sizes of datagrams are checked against the path: a default that is too long becomes shorter.
        if (!parameters.connection().isDatagram()) {
            limit("-s/--size", parameters.size(), port.maxMessageSize(), "bytes in one message");
        }
        limit("-q/--qp", parameters.queues().queuePairs(), limits.maxQueuePairs(), "queue pairs");
        limit("-t/--tx-depth", parameters.transmitDepth(), limits.maxQueuePairWorkRequests(), "work requests");
        limit("-r/--rx-depth", parameters.receiveDepth(), receiveLimit(parameters, limits), "receives");
        limit(
                "-r/--rx-depth times -q/--qp",
                (long) parameters.receiveDepth() * parameters.queues().queuePairs(),
                limits.maxCompletionQueueEntries(),
                "completion queue entries");
        refuse(
                parameters.queues().completionVector() >= Math.max(1, context.completionVectorCount()),
                "-X/--vector: " + parameters.queues().completionVector() + " is not allowed; " + deviceName()
                        + " has 0 to " + (context.completionVectorCount() - 1));
        refuse(
                parameters.queues().multicast() && port.linkLayer() != LinkLayer.ETHERNET,
                "-g/--mcg: port " + parameters.path().devicePort() + " of " + deviceName()
                        + " is InfiniBand, where a group is joined through the subnet manager; only RoCE is supported");
        limit(
                "-t/--tx-depth times -q/--qp",
                (long) parameters.transmitDepth() * parameters.queues().queuePairs(),
                limits.maxCompletionQueueEntries(),
                "completion queue entries");
        limit(
                "-s/--size times -q/--qp times 2",
                2 * parameters.queues().queuePairs() * parameters.size(),
                limits.maxMemoryRegionSize(),
                "bytes in one memory region");
    }

    private static int receiveLimit(RunParameters parameters, DeviceAttributes limits) {
        return parameters.sharesReceiveQueue()
                ? limits.maxSharedReceiveQueueWorkRequests()
                : limits.maxQueuePairWorkRequests();
    }

    private void limit(String option, long value, long most, String what) {
        // Some drivers report limits as unsigned, some leave one at 0 when they have none.
        refuse(
                most > 0 && value > most,
                option + ": " + value + " is too large for " + deviceName() + "; at most " + most + " " + what);
    }

    private GidEntry chooseGid(RunParameters parameters) {
        int index = parameters.path().gidIndex();
        if (index < 0 && linkLayer != LinkLayer.ETHERNET) {
            refuse(
                    port.linkLayer() == LinkLayer.ETHERNET && !parameters.peer().rdmaCm(),
                    "--force-link: port " + parameters.path().devicePort() + " of " + deviceName()
                            + " is Ethernet, where nothing is connected without a GID: leave it out, or give"
                            + " -x/--gid-index");
            refuse(
                    srd != null,
                    "-c/--connection: SRD needs the GID of the port, because EFA has no LIDs: give -x/--gid-index 0 on"
                            + " both sides");
            if (parameters.path().hasFlowLabels()) {
                adjustments.add("--flow_label has no effect without a global route: give -x/--gid-index");
            }
            return null;
        }
        if (index < 0 && !parameters.path().ipv6() && port.linkLayer() == LinkLayer.ETHERNET) {
            return context.selectGid(parameters.path().devicePort());
        }
        List<GidEntry> table = context.gidTable(parameters.path().devicePort());
        if (index < 0 && parameters.path().ipv6()) {
            return chooseIpv6(parameters, table);
        }
        return table.stream()
                // As in the C tools, an InfiniBand port that is treated as Ethernet uses its first GID.
                .filter(entry -> entry.index() == Math.max(0, index))
                .findFirst()
                .orElseThrow(() -> new IllegalParameterException("-x/--gid-index: " + index
                        + " is not in use on port " + parameters.path().devicePort() + " of " + deviceName()
                        + "; the ones in use are "
                        + String.join(
                                ", ",
                                table.stream()
                                        .map(entry -> entry.index() + " (" + entry.gid() + " " + entry.type() + ")")
                                        .toList())));
    }

    /** The first that is routable, and reaches far. In a container it is one of the container's interface. */
    private GidEntry chooseIpv6(RunParameters parameters, List<GidEntry> table) {
        int here = context.selectGid(parameters.path().devicePort()).networkInterfaceIndex();
        return table.stream()
                .filter(entry -> !entry.gid().isIpv4Mapped())
                .min(Comparator.<GidEntry, Boolean>comparing(entry -> entry.type() != GidType.ROCE_V2)
                        .thenComparing(entry -> entry.gid().isLinkLocal())
                        .thenComparing(entry -> entry.networkInterfaceIndex() != here)
                        .thenComparingInt(GidEntry::index))
                .orElseThrow(() -> new IllegalParameterException("--ipv6: port "
                        + parameters.path().devicePort() + " of " + deviceName() + " has IPv4 GIDs only"));
    }

    private Mtu chooseMtu(RunParameters parameters) {
        if (parameters.path().mtu() == 0) {
            return port.activeMtu();
        }
        if (parameters.path().mtu() > port.activeMtu().bytes()) {
            adjustments.add("-m/--mtu: " + parameters.path().mtu() + " becomes "
                    + port.activeMtu().bytes() + ", the active MTU of port "
                    + parameters.path().devicePort() + " of " + deviceName());
            return port.activeMtu();
        }
        return Mtu.ofBytes(parameters.path().mtu());
    }

    /** As in the C tools, which do not send inline on an unknown device: software devices have no vendor part. */
    private int chooseInlineSize(RunParameters parameters) {
        if (srd != null) {
            return srd.inlineSize(parameters, gpu != null, adjustments);
        }
        if (parameters.queues().inlineSize() >= 0) {
            return parameters.queues().inlineSize();
        }
        if (gpu != null) {
            // The processor copies inline data into a work request, which it cannot do from GPU memory.
            return 0;
        }
        DeviceAttributes attributes = context.attributes();
        boolean software = attributes.vendorPartId() == 0
                || attributes.vendorPartId() == VMWARE_PARAVIRTUAL
                || attributes.vendorId() == SOFT_IWARP_VENDOR;
        if (software || !parameters.tool().isLatency()) {
            return 0;
        }
        return parameters.tool().verb() != Verb.SEND
                ? INLINE_WRITE
                : parameters.connection() == ConnectionType.UD ? INLINE_DATAGRAM : INLINE_SEND;
    }

    /**
     * Returns as many as a queue pair of this device can serve, or fewer if the user asks for fewer; only reads and
     * atomics need more than one.
     */
    private int chooseOutstandingReads(RunParameters parameters) {
        if (parameters.tool().verb() != Verb.READ && parameters.tool().verb() != Verb.ATOMIC) {
            return 1;
        }
        // EFA reports 0, as C prints: there the depth of the queue is the only limit.
        int least = srd == null ? 1 : 0;
        int most = Math.clamp(context.attributes().maxQueuePairReadAtomic(), least, MOST_OUTSTANDING);
        int wanted = parameters.queues().outstandingReads();
        if (wanted > most) {
            adjustments.add("-o/--outs: " + wanted + " becomes " + most
                    + ", the most reads or atomics per queue pair of " + deviceName());
        }
        return wanted > 0 ? Math.min(wanted, most) : most;
    }

    private static void refuse(boolean condition, String message) {
        if (condition) {
            throw new IllegalParameterException(message);
        }
    }

    /** Returns one line for each parameter that was reduced to the device's limit, as the C tools do. */
    public List<String> adjustments() {
        return adjustments;
    }

    public DeviceContext context() {
        return context;
    }

    /**
     * Returns whether the device uses iWARP. With iWARP, only rdma_cm can connect, and it changes the states of queue
     * pairs.
     */
    public boolean isIwarp() {
        return context.device().transportType() == TransportType.IWARP;
    }

    /**
     * Returns the number of requests in flight on a queue pair with this many messages: iWARP adds a count of receives.
     */
    int sendRequests(int messages) {
        return isIwarp() ? messages + 1 : messages;
    }

    public String deviceName() {
        return context.device().name();
    }

    public PortAttributes port() {
        return port;
    }

    /** Returns the port's link layer, or the one that the user wants to assume. */
    public LinkLayer linkLayer() {
        return linkLayer;
    }

    /** The GID to use; null where LIDs are enough. */
    public GidEntry gid() {
        return gid;
    }

    /** The path MTU to offer to the peer. */
    public Mtu mtu() {
        return mtu;
    }

    /**
     * Returns the length in bytes of the longest datagram: of UD it fills a packet, and of SRD the adapter limits it.
     *
     * @param agreed the MTU of the path
     */
    public long longestDatagram(Mtu agreed) {
        return srd == null ? agreed.bytes() : srd.longest();
    }

    /** Returns the largest size in bytes of a message that is sent inline. */
    int inlineSize() {
        return inlineSize;
    }

    /** Reads and atomics that a queue pair serves at a time. */
    public int outstandingReads() {
        return outstandingReads;
    }

    /** Returns how many reads and atomics a queue pair may have in flight to a peer that serves this many. */
    int outstandingReadsTo(int served) {
        return Math.clamp(
                context.attributes().maxQueuePairInitiatorReadAtomic(), 1, Math.clamp(served, 1, MOST_OUTSTANDING));
    }

    /** The GPU whose memory is measured; null for host memory. */
    Gpu gpu() {
        return gpu;
    }

    @Override
    public void close() {
        context.close();
        if (gpu != null) {
            gpu.close();
        }
    }
}
