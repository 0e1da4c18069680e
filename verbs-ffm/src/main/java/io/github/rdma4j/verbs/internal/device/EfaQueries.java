// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.device;

import io.github.rdma4j.verbs.bindings.efadv_ah_attr;
import io.github.rdma4j.verbs.bindings.efadv_device_attr;
import io.github.rdma4j.verbs.device.EfaCapability;
import io.github.rdma4j.verbs.device.EfaDeviceAttributes;
import io.github.rdma4j.verbs.device.EfaInterconnects;
import io.github.rdma4j.verbs.internal.DeviceDriver;
import io.github.rdma4j.verbs.internal.EfaCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.EnumSet;
import java.util.OptionalInt;
import java.util.Set;

/** The queries that only an Elastic Fabric Adapter has. The caller keeps the objects open. */
public final class EfaQueries {
    private EfaQueries() {}

    /**
     * Queries the device; see {@link io.github.rdma4j.verbs.DeviceContext#queryEfa}.
     *
     * @param device its name, for messages
     * @param driver its driver
     * @param context the {@code struct ibv_context}
     * @return the attributes
     */
    public static EfaDeviceAttributes device(String device, DeviceDriver driver, MemorySegment context) {
        String operation = "efadv_query_device(%s)".formatted(device);
        EfaCalls.require(driver, operation);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = efadv_device_attr.allocate(arena);
            check(operation, EfaCalls.queryDevice(context, attributes));
            int extendedInline = EfaCalls.extendedInlineBuffer(attributes);
            Set<EfaCapability> capabilities = EfaCapability.ofMask(efadv_device_attr.device_caps(attributes));
            if (extendedInline > 0 && capabilities.contains(EfaCapability.RDMA_WRITE)) {
                capabilities = EnumSet.copyOf(capabilities);
                capabilities.add(EfaCapability.INLINE_WRITE);
            }
            return new EfaDeviceAttributes(
                    efadv_device_attr.max_sq_wr(attributes),
                    efadv_device_attr.max_rq_wr(attributes),
                    Short.toUnsignedInt(efadv_device_attr.max_sq_sge(attributes)),
                    Short.toUnsignedInt(efadv_device_attr.max_rq_sge(attributes)),
                    Math.max(Short.toUnsignedInt(efadv_device_attr.inline_buf_size(attributes)), extendedInline),
                    Integer.toUnsignedLong(efadv_device_attr.max_rdma_size(attributes)),
                    Collections.unmodifiableSet(capabilities));
        }
    }

    /**
     * Queries an address handle; see {@link io.github.rdma4j.verbs.AddressHandle#queryEfaNumber}.
     *
     * @param driver the driver of its device
     * @param addressHandle the {@code struct ibv_ah}
     * @return its number
     */
    public static int addressHandleNumber(DeviceDriver driver, MemorySegment addressHandle) {
        EfaCalls.require(driver, "efadv_query_ah");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = efadv_ah_attr.allocate(arena);
            check("efadv_query_ah", EfaCalls.queryAddressHandle(addressHandle, attributes));
            return Short.toUnsignedInt(efadv_ah_attr.ahn(attributes));
        }
    }

    /**
     * Queries a region; see {@link io.github.rdma4j.verbs.MemoryRegion#queryEfaInterconnects}.
     *
     * @param driver the driver of its device
     * @param region the {@code struct ibv_mr}
     * @return its interconnects
     */
    public static EfaInterconnects interconnects(DeviceDriver driver, MemorySegment region) {
        EfaCalls.require(driver, "efadv_query_mr");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(EfaCalls.REGION_ATTRIBUTES);
            check("efadv_query_mr", EfaCalls.queryRegion(region, attributes));
            return new EfaInterconnects(
                    interconnect(attributes, 0, "recv_ic_id"),
                    interconnect(attributes, 1, "rdma_read_ic_id"),
                    interconnect(attributes, 2, "rdma_recv_ic_id"));
        }
    }

    private static OptionalInt interconnect(MemorySegment attributes, int validity, String field) {
        return (EfaCalls.regionAttribute(attributes, "ic_id_validity") >>> validity & 1) == 0
                ? OptionalInt.empty()
                : OptionalInt.of(EfaCalls.regionAttribute(attributes, field));
    }

    /** The driver is efa: so the library refuses a device only if another copy of it has opened the device. */
    private static void check(String operation, int errno) {
        if (errno == Errno.EOPNOTSUPP) {
            throw Failures.of(
                    operation,
                    errno,
                    "the kernel does not support it, or libefa.so.1 is another copy than the one with which libibverbs"
                            + " has opened the device",
                    "update the efa driver, or leave one rdma-core where the dynamic loader looks");
        }
        Failures.check(operation, errno);
    }
}
