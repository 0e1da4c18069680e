// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.device;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_device_attr;
import io.github.rdma4j.verbs.bindings.ibv_device_attr_ex;
import io.github.rdma4j.verbs.bindings.ibv_gid;
import io.github.rdma4j.verbs.bindings.ibv_gid_entry;
import io.github.rdma4j.verbs.bindings.ibv_values_ex;
import io.github.rdma4j.verbs.bindings.timespec;
import io.github.rdma4j.verbs.device.DeviceAttributes;
import io.github.rdma4j.verbs.device.ExtendedDeviceAttributes;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.GidType;
import io.github.rdma4j.verbs.device.PortAttributes;
import io.github.rdma4j.verbs.internal.ColdCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.ExtendedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.LaterVerbs;
import io.github.rdma4j.verbs.internal.NativeCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The queries of an open device; see the methods of the same names in {@link DeviceContext}. The caller keeps the
 * context open.
 */
public final class DeviceQueries {
    private static final ValueLayout.OfShort NETWORK_SHORT = JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    /** libibverbs reads these entries from sysfs and leaves no errno. */
    private static final String ENTRY_GONE =
            "see that the port is up, and that /sys/class/infiniband is mounted here; then ask again";

    private final String device;
    private final MemorySegment context;

    /**
     * Creates the queries of an open context.
     *
     * @param device its name, for messages
     * @param context the {@code struct ibv_context}
     */
    public DeviceQueries(String device, MemorySegment context) {
        this.device = device;
        this.context = context;
    }

    public DeviceAttributes attributes() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_device_attr.allocate(arena);
            Failures.check("ibv_query_device(" + device + ")", ExportedVerb.QUERY_DEVICE.number(context, attributes));
            return DeviceAttributesReader.basic(attributes);
        }
    }

    /** Like the inline function: a driver without the extended query is asked the basic one. */
    public ExtendedDeviceAttributes extendedAttributes() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_device_attr_ex.allocate(arena);
            int result = ExtendedVerb.queryDevice(context, attributes);
            if (result == Errno.EOPNOTSUPP || result == Errno.ENOSYS) {
                attributes.fill((byte) 0);
                result = ExportedVerb.QUERY_DEVICE.number(context, ibv_device_attr_ex.orig_attr(attributes));
            }
            Failures.check("ibv_query_device_ex(" + device + ")", result);
            return DeviceAttributesReader.extended(attributes);
        }
    }

    /**
     * Like the inline function: the exported symbol of that name fills only the first part of the structure, so the
     * provider's entry is used if the library has the extended context.
     */
    public PortAttributes port(int port) {
        requirePort(port);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(PortAttributesReader.NATIVE_SIZE, Long.BYTES);
            int result = ExtendedVerb.QUERY_PORT.isThere(context)
                    ? ExtendedVerb.queryPort(context, port, attributes)
                    : ExportedVerb.QUERY_PORT.number(context, ColdCalls.word(port), attributes);
            Failures.check("ibv_query_port(%s, port=%d)".formatted(device, port), result);
            return PortAttributesReader.read(attributes);
        }
    }

    private void requirePort(int port) {
        int ports = attributes().physicalPortCount();
        if (port < 1 || port > ports) {
            throw new IllegalArgumentException(
                    "device %s has no port %d; its ports are 1..%d".formatted(device, port, ports));
        }
    }

    public long portSpeed(int port) {
        requirePort(port);
        MemorySegment function = PortSpeed.VERB.address();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment speed = arena.allocate(JAVA_LONG);
            Failures.check("ibv_query_port_speed(%s, port=%d)".formatted(device, port), (int)
                    PortSpeed.VERB.handle().invokeExact(function, NativeCalls.capture(), context, port, speed));
            return speed.get(JAVA_LONG, 0) * PortSpeed.MEGABITS;
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /** Looked up only when it is asked for. */
    private static final class PortSpeed {
        static final int MEGABITS = 100;
        static final LaterVerbs VERB =
                new LaterVerbs("ibv_query_port_speed", 62, FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, ADDRESS));
    }

    public int partitionKey(int port, int index) {
        int length = port(port).partitionTableLength();
        if (index < 0 || index >= length) {
            throw new IllegalArgumentException(
                    "device %s, port %d has no partition key at index %d; its table has %d entries"
                            .formatted(device, port, index, length));
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment key = arena.allocate(JAVA_SHORT);
            if (ExportedVerb.QUERY_PKEY.number(context, ColdCalls.word(port), ColdCalls.word(index), key) != 0) {
                throw new VerbsException(
                        "ibv_query_pkey(%s, port=%d, index=%d)".formatted(device, port, index),
                        0,
                        "the entry cannot be read from sysfs",
                        ENTRY_GONE);
            }
            return Short.toUnsignedInt(key.get(NETWORK_SHORT, 0));
        }
    }

    public int partitionKeyIndex(int port, int key) {
        requirePort(port);
        if (key < 0 || key > 0xffff) {
            throw new IllegalArgumentException("a partition key has 16 bits, and 0x%x has more".formatted(key));
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bigEndian = arena.allocateFrom(NETWORK_SHORT, (short) key);
            int index = ExportedVerb.GET_PKEY_INDEX.number(
                    context, ColdCalls.word(port), ColdCalls.word(Short.toUnsignedLong(bigEndian.get(JAVA_SHORT, 0))));
            if (index < 0) {
                throw new IllegalArgumentException(
                        "device %s, port %d has no partition key 0x%04x".formatted(device, port, key));
            }
            return index;
        }
    }

    public List<GidEntry> gidTable() {
        int ports = attributes().physicalPortCount();
        long capacity = 0;
        for (int port = 1; port <= ports; port++) {
            capacity += port(port).gidTableLength();
        }
        return capacity == 0 ? List.of() : gidTable(capacity);
    }

    public List<GidEntry> gidTable(long capacity) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment table = ibv_gid_entry.allocateArray(capacity, arena);
            long count = ExportedVerb.QUERY_GID_TABLE.call(
                    context,
                    table,
                    ColdCalls.word(capacity),
                    ColdCalls.word(0),
                    ColdCalls.word(ibv_gid_entry.sizeof()));
            if (count < 0) {
                throw Failures.of("ibv_query_gid_table(" + device + ")", (int) -count);
            }
            List<GidEntry> entries = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                entries.add(readGidEntry(ibv_gid_entry.asSlice(table, i)));
            }
            return List.copyOf(entries);
        }
    }

    /** Empty if the index is in the table, but not in use. */
    public Optional<GidEntry> gid(int port, int index) {
        requireGidIndex(port, index);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment entry = ibv_gid_entry.allocate(arena);
            int result = ExportedVerb.QUERY_GID_EX.number(
                    context,
                    ColdCalls.word(port),
                    ColdCalls.word(index),
                    entry,
                    ColdCalls.word(0),
                    ColdCalls.word(ibv_gid_entry.sizeof()));
            if (result == Errno.ENODATA) {
                return Optional.empty();
            }
            Failures.check("ibv_query_gid_ex(%s, port=%d, index=%d)".formatted(device, port, index), result);
            return Optional.of(readGidEntry(entry));
        }
    }

    public Gid gidAddress(int port, int index) {
        requireGidIndex(port, index);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment gid = ibv_gid.allocate(arena);
            if (ExportedVerb.QUERY_GID.number(context, ColdCalls.word(port), ColdCalls.word(index), gid) != 0) {
                throw new VerbsException(
                        "ibv_query_gid(%s, port=%d, index=%d)".formatted(device, port, index),
                        0,
                        "the entry cannot be read",
                        ENTRY_GONE);
            }
            return Gid.of(gid.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private void requireGidIndex(int port, int index) {
        int length = port(port).gidTableLength();
        if (index < 0 || index >= length) {
            throw new IllegalArgumentException("device %s, port %d has no GID at index %d; its table has %d entries"
                    .formatted(device, port, index, length));
        }
    }

    private static GidEntry readGidEntry(MemorySegment entry) {
        return new GidEntry(
                Gid.of(ibv_gid_entry.gid(entry).toArray(ValueLayout.JAVA_BYTE)),
                ibv_gid_entry.gid_index(entry),
                ibv_gid_entry.port_num(entry),
                GidType.ofCode(ibv_gid_entry.gid_type(entry)),
                ibv_gid_entry.ndev_ifindex(entry));
    }

    public long rawClock() {
        String operation = "ibv_query_rt_values_ex(%s, raw_clock)".formatted(device);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment values = ibv_values_ex.allocate(arena);
            ibv_values_ex.comp_mask(values, RdmaHeaders.IBV_VALUES_MASK_RAW_CLOCK());
            Failures.check(operation, ExtendedVerb.QUERY_RT_VALUES.call(context, context, values));
            if ((ibv_values_ex.comp_mask(values) & RdmaHeaders.IBV_VALUES_MASK_RAW_CLOCK()) == 0) {
                throw Failures.of(operation, Errno.EOPNOTSUPP);
            }
            MemorySegment clock = ibv_values_ex.raw_clock(values);
            return timespec.tv_sec(clock) * 1_000_000_000L + timespec.tv_nsec(clock);
        }
    }
}
