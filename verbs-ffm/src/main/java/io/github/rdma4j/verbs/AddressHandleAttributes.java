// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_ah_attr;
import io.github.rdma4j.verbs.bindings.ibv_global_route;
import io.github.rdma4j.verbs.device.Gid;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.Optional;

/**
 * The path to a destination ({@code struct ibv_ah_attr}), used by an {@link AddressHandle} or by a connected queue
 * pair, where it is called the address vector. RoCE needs the global route; InfiniBand within a subnet needs the LID.
 * Start with {@link #toGid} or {@link #toLid}, and change other values with the {@code with…} methods.
 *
 * @param globalRoute the global route, if there is one
 * @param destinationLid the peer's LID, 16 bits; 0 on RoCE
 * @param serviceLevel 0 to 15; on RoCE the Ethernet priority, 0 to 7
 * @param sourcePathBits the low bits of this side's LID, 0 to 127; 0 on RoCE
 * @param staticRate the fastest rate
 * @param port the local port, from 1; 0 if it was queried before it was set
 * @since 0.1.0
 */
public record AddressHandleAttributes(
        Optional<GlobalRoute> globalRoute,
        int destinationLid,
        int serviceLevel,
        int sourcePathBits,
        StaticRate staticRate,
        int port) {
    private static final int DEFAULT_HOP_LIMIT = 64;

    /** Checks the ranges. */
    public AddressHandleAttributes {
        Objects.requireNonNull(globalRoute, "global route");
        Objects.requireNonNull(staticRate, "static rate");
        requireRange("destination LID", destinationLid, 0xffff);
        requireRange("service level", serviceLevel, 15);
        requireRange("source path bits", sourcePathBits, 127);
        requireRange("port", port, 255);
    }

    private static void requireRange(String name, int value, int high) {
        if (value < 0 || value > high) {
            throw new IllegalArgumentException("%s %d is not in 0..%d".formatted(name, value, high));
        }
    }

    /**
     * Returns the path to a GID, on RoCE. With {@link #withDestinationLid} it also works on InfiniBand, within the
     * subnet or to another one. The hop limit is 64; all other values are 0.
     *
     * @param port the local port, from 1
     * @param sourceGidIndex the index of this side's GID, 0 to 255
     * @param destination the peer's GID, or a multicast group's
     * @return the attributes
     */
    public static AddressHandleAttributes toGid(int port, int sourceGidIndex, Gid destination) {
        return new AddressHandleAttributes(
                Optional.of(new GlobalRoute(destination, 0, sourceGidIndex, DEFAULT_HOP_LIMIT, 0)),
                0,
                0,
                0,
                StaticRate.MAX,
                port);
    }

    /**
     * Returns the path to a LID, within an InfiniBand subnet.
     *
     * @param port the local port, from 1
     * @param destinationLid the peer's LID
     * @return the attributes, without a global route
     */
    public static AddressHandleAttributes toLid(int port, int destinationLid) {
        return new AddressHandleAttributes(Optional.empty(), destinationLid, 0, 0, StaticRate.MAX, port);
    }

    /**
     * Returns the path back to the sender of a datagram (ibv_init_ah_from_wc(3)).
     *
     * @param context the device that received it
     * @param port the port that it came through, from 1
     * @param completion of the receive
     * @param header the first {@value WorkCompletion#GLOBAL_ROUTE_HEADER_BYTES} bytes of the buffer; it is not read
     *     unless {@link WorkCompletion#hasGlobalRouteHeader()}
     * @return the attributes of an {@link AddressHandle} for the reply
     * @throws IllegalArgumentException if the receive failed, the header is too short, or there is no such port
     * @throws VerbsException if the header does not lead to a GID of that port
     */
    public static AddressHandleAttributes ofSender(
            DeviceContext context, int port, WorkCompletion completion, MemorySegment header) {
        return SenderAddress.of(context, port, completion, header);
    }

    /**
     * Returns the path back to the sender of a datagram that completed in an extended completion queue
     * (ibv_init_ah_from_wc(3)).
     *
     * @param context the device that received it
     * @param port the port that it came through, from 1
     * @param completion of the receive; the queue must have been created with source LID, service level and destination
     *     path bits
     * @param header as for a {@link WorkCompletion}
     * @return the attributes of an {@link AddressHandle} for the reply
     * @throws IllegalArgumentException if the receive failed, the header is too short, or there is no such port
     * @throws VerbsException if the header does not lead to a GID of that port
     */
    public static AddressHandleAttributes ofSender(
            DeviceContext context, int port, CompletionCursor completion, MemorySegment header) {
        return SenderAddress.of(context, port, completion, header);
    }

    /**
     * Resolves the destination GID to an Ethernet address by ARP or neighbour discovery
     * ({@code ibv_resolve_eth_l2_from_gid}). Blocks until the neighbour answers, for at most three seconds. Other calls
     * that need the lock of the device context wait meanwhile.
     *
     * @param context the device
     * @return the address
     * @throws IllegalArgumentException if there is no such port
     * @throws VerbsException if it does not resolve
     */
    public EthernetAddress resolveEthernetAddress(DeviceContext context) {
        return SenderAddress.resolve(context, this);
    }

    /**
     * Returns a copy with another destination LID.
     *
     * @param lid 16 bits
     * @return a copy
     */
    public AddressHandleAttributes withDestinationLid(int lid) {
        return new AddressHandleAttributes(globalRoute, lid, serviceLevel, sourcePathBits, staticRate, port);
    }

    /**
     * Returns a copy with another service level.
     *
     * @param level 0 to 15
     * @return a copy
     */
    public AddressHandleAttributes withServiceLevel(int level) {
        return new AddressHandleAttributes(globalRoute, destinationLid, level, sourcePathBits, staticRate, port);
    }

    /**
     * Returns a copy with other low bits of this side's LID.
     *
     * @param bits 0 to 127
     * @return a copy
     */
    public AddressHandleAttributes withSourcePathBits(int bits) {
        return new AddressHandleAttributes(globalRoute, destinationLid, serviceLevel, bits, staticRate, port);
    }

    /**
     * Returns a copy with another rate.
     *
     * @param rate the fastest
     * @return a copy
     */
    public AddressHandleAttributes withStaticRate(StaticRate rate) {
        return new AddressHandleAttributes(globalRoute, destinationLid, serviceLevel, sourcePathBits, rate, port);
    }

    /**
     * Returns a copy with another global route.
     *
     * @param route the route
     * @return a copy
     */
    public AddressHandleAttributes withGlobalRoute(GlobalRoute route) {
        return new AddressHandleAttributes(
                Optional.of(route), destinationLid, serviceLevel, sourcePathBits, staticRate, port);
    }

    /**
     * Returns a copy with another flow label.
     *
     * @param label 20 bits
     * @return a copy
     * @throws IllegalStateException if there is no global route
     */
    public AddressHandleAttributes withFlowLabel(int label) {
        GlobalRoute route = route();
        return withGlobalRoute(new GlobalRoute(
                route.destinationGid(), label, route.sourceGidIndex(), route.hopLimit(), route.trafficClass()));
    }

    /**
     * Returns a copy with another hop limit.
     *
     * @param hops 0 to 255
     * @return a copy
     * @throws IllegalStateException if there is no global route
     */
    public AddressHandleAttributes withHopLimit(int hops) {
        GlobalRoute route = route();
        return withGlobalRoute(new GlobalRoute(
                route.destinationGid(), route.flowLabel(), route.sourceGidIndex(), hops, route.trafficClass()));
    }

    /**
     * Returns a copy with another traffic class.
     *
     * @param value 0 to 255
     * @return a copy
     * @throws IllegalStateException if there is no global route
     */
    public AddressHandleAttributes withTrafficClass(int value) {
        GlobalRoute route = route();
        return withGlobalRoute(new GlobalRoute(
                route.destinationGid(), route.flowLabel(), route.sourceGidIndex(), route.hopLimit(), value));
    }

    private GlobalRoute route() {
        return globalRoute.orElseThrow(() -> new IllegalStateException(this + " has no global route"));
    }

    /**
     * Copies a structure that another library, such as rdma_cm, has filled in.
     *
     * @param ibvAhAttr the address of a {@code struct ibv_ah_attr}. It cannot be checked: a wrong address crashes the
     *     JVM
     * @return a copy
     */
    public static AddressHandleAttributes ofNative(long ibvAhAttr) {
        return read(MemorySegment.ofAddress(ibvAhAttr).reinterpret(ibv_ah_attr.sizeof()));
    }

    static AddressHandleAttributes read(MemorySegment attributes) {
        MemorySegment grh = ibv_ah_attr.grh(attributes);
        Optional<GlobalRoute> route = ibv_ah_attr.is_global(attributes) == 0
                ? Optional.empty()
                : Optional.of(new GlobalRoute(
                        Gid.of(ibv_global_route.dgid(grh).toArray(ValueLayout.JAVA_BYTE)),
                        ibv_global_route.flow_label(grh) & 0xfffff,
                        Byte.toUnsignedInt(ibv_global_route.sgid_index(grh)),
                        Byte.toUnsignedInt(ibv_global_route.hop_limit(grh)),
                        Byte.toUnsignedInt(ibv_global_route.traffic_class(grh))));
        return new AddressHandleAttributes(
                route,
                Short.toUnsignedInt(ibv_ah_attr.dlid(attributes)),
                ibv_ah_attr.sl(attributes) & 0xf,
                ibv_ah_attr.src_path_bits(attributes) & 0x7f,
                StaticRate.ofCode(Byte.toUnsignedInt(ibv_ah_attr.static_rate(attributes))),
                Byte.toUnsignedInt(ibv_ah_attr.port_num(attributes)));
    }

    /** Writes to a zeroed {@code struct ibv_ah_attr}. */
    void write(MemorySegment attributes) {
        if (staticRate == StaticRate.UNKNOWN) {
            throw new IllegalArgumentException("the static rate is unknown");
        }
        ibv_ah_attr.dlid(attributes, (short) destinationLid);
        ibv_ah_attr.sl(attributes, (byte) serviceLevel);
        ibv_ah_attr.src_path_bits(attributes, (byte) sourcePathBits);
        ibv_ah_attr.static_rate(attributes, (byte) staticRate.code());
        ibv_ah_attr.port_num(attributes, (byte) port);
        ibv_ah_attr.is_global(attributes, (byte) (globalRoute.isPresent() ? 1 : 0));
        if (globalRoute.isPresent()) {
            GlobalRoute route = globalRoute.get();
            MemorySegment grh = ibv_ah_attr.grh(attributes);
            MemorySegment.copy(
                    route.destinationGid().bytes(),
                    0,
                    ibv_global_route.dgid(grh),
                    ValueLayout.JAVA_BYTE,
                    0,
                    Gid.LENGTH);
            ibv_global_route.flow_label(grh, route.flowLabel());
            ibv_global_route.sgid_index(grh, (byte) route.sourceGidIndex());
            ibv_global_route.hop_limit(grh, (byte) route.hopLimit());
            ibv_global_route.traffic_class(grh, (byte) route.trafficClass());
        }
    }

    /** {@return the GIDs or the LID, and all values that are not the default} */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        if (globalRoute.isPresent()) {
            GlobalRoute route = globalRoute.get();
            text.append("to GID ")
                    .append(route.destinationGid())
                    .append(" from the GID at index ")
                    .append(route.sourceGidIndex())
                    .append(" of port ")
                    .append(port)
                    .append(", hop limit ")
                    .append(route.hopLimit());
            append(text, "traffic class", route.trafficClass());
            append(text, "flow label", route.flowLabel());
            append(text, "LID", destinationLid);
        } else {
            text.append("to LID ").append(destinationLid).append(" from port ").append(port);
        }
        append(text, "service level", serviceLevel);
        append(text, "source path bits", sourcePathBits);
        if (staticRate != StaticRate.MAX) {
            text.append(", rate ").append(staticRate);
        }
        return text.toString();
    }

    private static void append(StringBuilder text, String name, int value) {
        if (value != 0) {
            text.append(", ").append(name).append(' ').append(value);
        }
    }
}
