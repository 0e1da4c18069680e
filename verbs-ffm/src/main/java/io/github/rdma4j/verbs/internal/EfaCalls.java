// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.github.rdma4j.verbs.NativeLibraryException;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.efadv_ah_attr;
import io.github.rdma4j.verbs.bindings.efadv_cq;
import io.github.rdma4j.verbs.bindings.efadv_cq_init_attr;
import io.github.rdma4j.verbs.bindings.efadv_device_attr;
import io.github.rdma4j.verbs.bindings.efadv_qp_init_attr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.List;

/**
 * Functions that only libefa has, the user-space driver of AWS's Elastic Fabric Adapter (infiniband/efadv.h). The
 * library is opened when it is first needed, so a machine without it is not affected.
 */
public final class EfaCalls {
    /** {@code EFADV_WC_EX_WITH_IS_UNSOLICITED}; newer than the headers of the bindings. */
    public static final int WITH_IS_UNSOLICITED = 1 << 1;

    /** {@code EFADV_QP_FLAGS_UNSOLICITED_WRITE_RECV}; newer than the headers of the bindings. */
    public static final int UNSOLICITED_WRITE_RECV = 1;

    /** {@code EFADV_QP_FLAGS_INLINE_WRITE}; newer than the headers of the bindings. */
    public static final int INLINE_WRITE = 1 << 1;

    /** The offset of {@code wc_is_unsolicited}, which follows the structure of the bindings. */
    public static final long IS_UNSOLICITED = efadv_cq.sizeof();

    /** {@code struct efadv_mr_attr}; newer than the headers of the bindings. */
    public static final StructLayout REGION_ATTRIBUTES = MemoryLayout.structLayout(
                    JAVA_LONG.withName("comp_mask"),
                    JAVA_SHORT.withName("ic_id_validity"),
                    JAVA_SHORT.withName("recv_ic_id"),
                    JAVA_SHORT.withName("rdma_read_ic_id"),
                    JAVA_SHORT.withName("rdma_recv_ic_id"))
            .withName("efadv_mr_attr");

    private static final String LIBRARY = "libefa.so.1";
    private static final long INLINE_BUFFER_EXTENDED = efadv_device_attr.reserved$offset();
    private static final long FLAGS = efadv_qp_init_attr.reserved$offset();
    private static final long SERVICE_LEVEL = efadv_qp_init_attr.reserved$offset() + Short.BYTES;

    private static final ExportedFunction QUERY_DEVICE = new ExportedFunction(LIBRARY, "efadv_query_device");
    private static final ExportedFunction CREATE_QP_EX = new ExportedFunction(LIBRARY, "efadv_create_qp_ex");
    private static final ExportedFunction QUERY_AH = new ExportedFunction(LIBRARY, "efadv_query_ah");
    private static final ExportedFunction CREATE_CQ = new ExportedFunction(LIBRARY, "efadv_create_cq", 43);
    private static final ExportedFunction CQ_FROM_IBV_CQ_EX =
            new ExportedFunction(LIBRARY, "efadv_cq_from_ibv_cq_ex", 43);
    private static final ExportedFunction QUERY_MR = new ExportedFunction(LIBRARY, "efadv_query_mr", 50);

    private EfaCalls() {}

    /**
     * Returns if the functions of this class can be called with a device.
     *
     * @param driver the driver of the device
     * @param verb the function that is wanted, for the message
     * @throws UnsupportedVerbException if it is not an EFA device
     * @throws NativeLibraryException if the library cannot be loaded
     */
    public static void require(DeviceDriver driver, String verb) {
        if (!driver.isEfa()) {
            throw new UnsupportedVerbException(
                    verb, Errno.EOPNOTSUPP, "the device is not an Elastic Fabric Adapter (EFA)");
        }
        NativeLibraries.require(LIBRARY, "ibverbs-providers", "libibverbs", List.of());
    }

    /**
     * efadv_query_device(3).
     *
     * @param context the context of an EFA device
     * @param attributes receives the {@code struct efadv_device_attr}
     * @return 0 or an errno
     */
    public static int queryDevice(MemorySegment context, MemorySegment attributes) {
        return Math.abs(QUERY_DEVICE.number(context, attributes, ColdCalls.word(attributes.byteSize())));
    }

    /**
     * Returns {@code inline_buf_size_ex}, which replaces reserved bytes of the structure of the bindings.
     *
     * @param attributes a {@code struct efadv_device_attr}
     * @return the inline data of a request of 128 bytes; 0 before rdma-core 63
     */
    public static int extendedInlineBuffer(MemorySegment attributes) {
        return Short.toUnsignedInt(attributes.get(JAVA_SHORT, INLINE_BUFFER_EXTENDED));
    }

    /**
     * efadv_create_qp_ex(3), for an SRD queue pair.
     *
     * @param context the context of an EFA device
     * @param attributes a {@code struct ibv_qp_init_attr_ex}
     * @param flags {@code EFADV_QP_FLAGS_…}, for which rdma-core before 52 refuses the call
     * @param serviceLevel from 0; rdma-core before 55 refuses the call for others than 0
     * @return the queue pair; NULL after a failure, with {@link NativeCalls#lastErrno()}
     */
    public static MemorySegment createQueuePair(
            MemorySegment context, MemorySegment attributes, int flags, int serviceLevel) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment own = efadv_qp_init_attr.allocate(arena);
            efadv_qp_init_attr.driver_qp_type(own, RdmaHeaders.EFADV_QP_DRIVER_TYPE_SRD());
            own.set(JAVA_SHORT, FLAGS, (short) flags);
            own.set(JAVA_BYTE, SERVICE_LEVEL, (byte) serviceLevel);
            return CREATE_QP_EX.pointer(context, attributes, own, ColdCalls.word(own.byteSize()));
        }
    }

    /**
     * efadv_query_ah(3).
     *
     * @param addressHandle the {@code struct ibv_ah}
     * @param attributes receives the {@code struct efadv_ah_attr}
     * @return 0 or an errno
     */
    public static int queryAddressHandle(MemorySegment addressHandle, MemorySegment attributes) {
        return Math.abs(QUERY_AH.number(addressHandle, attributes, ColdCalls.word(efadv_ah_attr.sizeof())));
    }

    /**
     * efadv_query_mr(3).
     *
     * @param region the {@code struct ibv_mr}
     * @param attributes receives the {@link #REGION_ATTRIBUTES}
     * @return 0 or an errno
     * @throws UnsupportedVerbException before rdma-core 50
     */
    public static int queryRegion(MemorySegment region, MemorySegment attributes) {
        return Math.abs(QUERY_MR.number(region, attributes, ColdCalls.word(REGION_ATTRIBUTES.byteSize())));
    }

    /**
     * efadv_create_cq(3).
     *
     * @param context the context of an EFA device
     * @param attributes a {@code struct ibv_cq_init_attr_ex}
     * @param fields {@code EFADV_WC_EX_WITH_…}
     * @return the {@code struct ibv_cq_ex}; NULL after a failure, with {@link NativeCalls#lastErrno()}
     * @throws UnsupportedVerbException before rdma-core 43
     */
    public static MemorySegment createCompletionQueue(MemorySegment context, MemorySegment attributes, long fields) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment own = efadv_cq_init_attr.allocate(arena);
            efadv_cq_init_attr.wc_flags(own, fields);
            return CREATE_CQ.pointer(context, attributes, own, ColdCalls.word(own.byteSize()));
        }
    }

    /**
     * efadv_cq_from_ibv_cq_ex(3).
     *
     * @param queue a {@code struct ibv_cq_ex} of {@link #createCompletionQueue}
     * @return the {@code struct efadv_cq}
     */
    public static MemorySegment completionQueue(MemorySegment queue) {
        return CQ_FROM_IBV_CQ_EX.pointer(queue);
    }

    /**
     * Returns a field of {@link #REGION_ATTRIBUTES}.
     *
     * @param attributes the structure
     * @param field its name
     * @return 16 bits without a sign
     */
    public static int regionAttribute(MemorySegment attributes, String field) {
        return Short.toUnsignedInt(
                attributes.get(JAVA_SHORT, REGION_ATTRIBUTES.byteOffset(PathElement.groupElement(field))));
    }
}
