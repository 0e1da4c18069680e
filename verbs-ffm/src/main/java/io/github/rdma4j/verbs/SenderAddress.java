// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_ah_attr;
import io.github.rdma4j.verbs.bindings.ibv_grh;
import io.github.rdma4j.verbs.bindings.ibv_wc;
import io.github.rdma4j.verbs.internal.AddressHandleCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.explain.Explanation;
import io.github.rdma4j.verbs.internal.explain.PathDiagnosis;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.OptionalInt;

/** Finds the address of a datagram's sender, and the Ethernet address of a GID. */
final class SenderAddress {
    private static final int MAC_BYTES = 6;
    private static final int LAST_VLAN = 0xfff;

    private SenderAddress() {}

    /** Copies the header for the verbs, which read it whatever the completion says. */
    static MemorySegment header(Arena arena, WorkCompletion completion, MemorySegment header) {
        MemorySegment copy = ibv_grh.allocate(arena);
        if (completion.hasGlobalRouteHeader()) {
            if (header.byteSize() < WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES) {
                throw new IllegalArgumentException("a global route header has %d bytes, not %d"
                        .formatted(WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES, header.byteSize()));
            }
            MemorySegment.copy(header, 0, copy, 0, WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES);
        }
        return copy;
    }

    /** Builds the completion that the verb reads from one that is not a structure. */
    static AddressHandleAttributes of(
            DeviceContext context, int port, CompletionCursor completion, MemorySegment header) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = ibv_wc.allocate(arena);
            ibv_wc.status(memory, completion.statusCode());
            if (completion.isSuccess()) {
                ibv_wc.wc_flags(memory, completion.hasGlobalRouteHeader() ? RdmaHeaders.IBV_WC_GRH() : 0);
                ibv_wc.slid(memory, (short) completion.sourceLid());
                ibv_wc.sl(memory, (byte) completion.serviceLevel());
                ibv_wc.dlid_path_bits(memory, (byte) completion.destinationPathBits());
            }
            return of(context, port, new WorkCompletion(memory), header);
        }
    }

    static AddressHandleAttributes of(
            DeviceContext context, int port, WorkCompletion completion, MemorySegment header) {
        if (!completion.isSuccess()) {
            throw new IllegalArgumentException("the receive failed, and names no sender: " + completion.describe());
        }
        context.port(port);
        return context.locked(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment attributes = ibv_ah_attr.allocate(arena);
                int result = AddressHandleCalls.initFromCompletion(
                        context.segment(), port, completion.segment(), header(arena, completion, header), attributes);
                if (result != 0) {
                    throw Failures.of(
                            "ibv_init_ah_from_wc(%s, port=%d)"
                                    .formatted(context.device().name(), port),
                            result > 0 ? result : NativeCalls.lastErrno(),
                            "the header names no sender, or was sent to an address that is no GID of this port",
                            "hand over the first 40 bytes of the buffer that the datagram was received into, and the"
                                    + " port that it came through; to answer a multicast datagram, make the attributes"
                                    + " by hand");
                }
                return AddressHandleAttributes.read(attributes);
            }
        });
    }

    static EthernetAddress resolve(DeviceContext context, AddressHandleAttributes path) {
        context.port(path.port());
        return context.locked(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment attributes = ibv_ah_attr.allocate(arena);
                path.write(attributes);
                MemorySegment mac = arena.allocate(MAC_BYTES);
                MemorySegment vlan = arena.allocate(ValueLayout.JAVA_SHORT);
                int result = AddressHandleCalls.resolve(context.segment(), attributes, mac, vlan);
                if (result != 0) {
                    throw unresolved(context, path, result == -1 ? NativeCalls.lastErrno() : Math.abs(result));
                }
                int number = Short.toUnsignedInt(vlan.get(ValueLayout.JAVA_SHORT, 0));
                return new EthernetAddress(
                        HexFormat.ofDelimiter(":").formatHex(mac.toArray(ValueLayout.JAVA_BYTE)),
                        number <= LAST_VLAN ? OptionalInt.of(number) : OptionalInt.empty());
            }
        });
    }

    private static VerbsException unresolved(DeviceContext context, AddressHandleAttributes path, int errno) {
        PathDiagnosis diagnosis = new PathDiagnosis("path", path, new OpenDeviceFacts(context));
        Explanation explanation = diagnosis.of(errno == Errno.EHOSTUNREACH ? Errno.ETIMEDOUT : errno);
        if (errno == Errno.EINVAL) {
            diagnosis.addTo(explanation);
        }
        return Failures.of(
                "ibv_resolve_eth_l2_from_gid(%s)".formatted(path), errno, explanation.cause(), explanation.remedy());
    }
}
