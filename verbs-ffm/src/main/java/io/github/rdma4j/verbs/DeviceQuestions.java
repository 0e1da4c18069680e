// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.device.DeviceAttributes;
import io.github.rdma4j.verbs.device.ExtendedDeviceAttributes;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.PortAttributes;
import io.github.rdma4j.verbs.internal.device.DeviceQueries;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** What an open device says of itself, its ports and their tables: the half of a {@link DeviceContext} that asks. */
abstract sealed class DeviceQuestions extends Resource permits DeviceContext {
    private final Device device;
    private final MemorySegment context;
    private final DeviceQueries queries;
    private volatile DeviceAttributes limits;

    /** Of a {@code struct ibv_context} of its full length. */
    DeviceQuestions(Device device, MemorySegment context) {
        this.device = device;
        this.context = context;
        this.queries = new DeviceQueries(device.name(), context);
    }

    final MemorySegment segment() {
        return context;
    }

    /** {@return the device that this context was opened on} */
    public Device device() {
        return device;
    }

    /**
     * What the device is and how much it can do (ibv_query_device(3)).
     *
     * @return the attributes as they are now
     * @throws VerbsException if the query fails
     */
    public DeviceAttributes attributes() {
        return locked(queries::attributes);
    }

    /**
     * What the device can do at most: asked once, because it does not change while the device is open.
     *
     * @throws IllegalStateException if this context is closed
     */
    final DeviceAttributes limits() {
        requireOpen();
        DeviceAttributes known = limits;
        if (known == null) {
            known = attributes();
            limits = known;
        }
        return known;
    }

    /**
     * What the device can do beyond the basic attributes (ibv_query_device_ex(3)). Where the driver cannot be asked
     * this, all but the basic attributes are 0, false or empty.
     *
     * @return the attributes as they are now
     * @throws VerbsException if the query fails
     */
    public ExtendedDeviceAttributes extendedAttributes() {
        return locked(queries::extendedAttributes);
    }

    /**
     * A port and its state (ibv_query_port(3)).
     *
     * @param port from 1
     * @return the attributes as they are now
     * @throws IllegalArgumentException if the device has no such port
     * @throws VerbsException if the query fails
     */
    public PortAttributes port(int port) {
        return locked(() -> queries.port(port));
    }

    /**
     * The rate that a port really has (ibv_query_port_speed(3)), which on a bonded or a virtual port is not
     * {@link PortAttributes#rateGigabitsPerSecond()}.
     *
     * @param port from 1
     * @return in Mbit/s, in steps of 100
     * @throws IllegalArgumentException if the device has no such port
     * @throws UnsupportedVerbException if libibverbs is older than rdma-core 62, or the driver does not tell
     * @throws VerbsException if the query fails
     */
    public long portSpeedMegabits(int port) {
        return locked(() -> queries.portSpeed(port));
    }

    /**
     * An entry of a port's partition key table (ibv_query_pkey(3)).
     *
     * @param port from 1
     * @param index from 0, below {@link PortAttributes#partitionTableLength()}
     * @return the partition key, 16 bits; the highest is set for a full member, and 0 means that the entry is empty
     * @throws IllegalArgumentException if the device has no such port, or the table no such entry
     * @throws VerbsException if the query fails
     */
    public int partitionKey(int port, int index) {
        return locked(() -> queries.partitionKey(port, index));
    }

    /**
     * Where a partition key stands in a port's table (ibv_get_pkey_index(3)), as queue pairs want to have it.
     *
     * @param port from 1
     * @param key the partition key, 16 bits, membership bit included
     * @return the index of its first entry, from 0
     * @throws IllegalArgumentException if the device has no such port, or the table no such key
     */
    public int partitionKeyIndex(int port, int key) {
        return locked(() -> queries.partitionKeyIndex(port, key));
    }

    /**
     * The device's clock that completion timestamps are taken from (ibv_query_rt_values_ex(3), {@code raw_clock}).
     *
     * @return ticks of {@link ExtendedDeviceAttributes#coreClockKilohertz()} since an arbitrary moment
     * @throws UnsupportedVerbException if the driver does not tell, as SoftRoCE's
     * @throws VerbsException if the query fails
     */
    public long queryRawClock() {
        return locked(queries::rawClock);
    }

    /**
     * The entries of a port's GID table that are in use (ibv_query_gid_table(3)).
     *
     * @param port from 1
     * @return the entries by index; empty entries are left out
     * @throws IllegalArgumentException if the device has no such port
     * @throws VerbsException if the query fails
     */
    public List<GidEntry> gidTable(int port) {
        port(port);
        return gidTable().stream().filter(entry -> entry.port() == port).toList();
    }

    /**
     * The GID table entries of all ports that are in use (ibv_query_gid_table(3)).
     *
     * @return the entries; empty entries are left out
     * @throws VerbsException if the query fails
     */
    public List<GidEntry> gidTable() {
        return locked(queries::gidTable);
    }

    /**
     * The GID to use where the user names none: on RoCE version 2 before version 1, and within a version an IPv4-mapped
     * address before a global IPv6 one before a link-local one; on InfiniBand the port's own.
     *
     * @param port from 1
     * @return the entry
     * @throws VerbsException if the port has none
     */
    public GidEntry selectGid(int port) {
        return GidEntry.preferred(gidTable(port))
                .orElseThrow(() -> new VerbsException(
                        "choosing a GID of %s, port %d".formatted(device.name(), port),
                        0,
                        "the port's GID table is empty",
                        "bring its network interface up and give it an IP address"));
    }

    /**
     * The entry at an index of a port's GID table (ibv_query_gid_ex(3)).
     *
     * @param port from 1
     * @param index what tools call {@code -x} or {@code sgid_index}
     * @return the entry
     * @throws IllegalArgumentException if there is none; the message lists those in use
     * @throws VerbsException if the query fails
     */
    public GidEntry gid(int port, int index) {
        return locked(() -> queries.gid(port, index)
                .orElseThrow(() -> new IllegalArgumentException("device %s, port %d has no GID at index %d; in use: %s"
                        .formatted(
                                device.name(),
                                port,
                                index,
                                gidTable(port).stream().map(GidEntry::index).toList()))));
    }

    /**
     * The GID at an index of a port's GID table, without its type and interface (ibv_query_gid(3)).
     *
     * @param port from 1
     * @param index from 0, below {@link PortAttributes#gidTableLength()}
     * @return the GID; {@link Gid#ZERO} if the entry is empty
     * @throws IllegalArgumentException if the device has no such port, or the table no such entry
     * @throws VerbsException if the query fails
     */
    public Gid gidAddress(int port, int index) {
        return locked(() -> queries.gidAddress(port, index));
    }
}
