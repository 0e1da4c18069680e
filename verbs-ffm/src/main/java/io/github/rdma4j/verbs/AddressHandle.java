// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_ah_attr;
import io.github.rdma4j.verbs.internal.AddressHandleCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExclusiveGuard;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.device.EfaQueries;
import io.github.rdma4j.verbs.internal.explain.Explanation;
import io.github.rdma4j.verbs.internal.explain.InfiniBandLids;
import io.github.rdma4j.verbs.internal.explain.PathDiagnosis;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The address of a datagram's destination, resolved by the device ({@code struct ibv_ah}, ibv_create_ah(3)). An address
 * handle can be used by any number of queue pairs of its protection domain. Keep it open until everything that was
 * posted with it has completed.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class AddressHandle extends Resource {
    private final ProtectionDomain domain;
    private final AddressHandleAttributes attributes;
    private final MemorySegment addressHandle;
    private final long address;

    private AddressHandle(ProtectionDomain domain, AddressHandleAttributes attributes, MemorySegment created) {
        super(domain);
        this.domain = domain;
        this.attributes = attributes;
        this.addressHandle = created;
        this.address = created.address();
    }

    /**
     * Creates the handle, as a child of the domain; see
     * {@link ProtectionDomain#createAddressHandle(AddressHandleAttributes)}.
     */
    static AddressHandle create(ProtectionDomain domain, AddressHandleAttributes attributes) {
        InfiniBandLids.require(
                "ibv_create_ah(%s)".formatted(attributes),
                attributes.port(),
                domain.context().port(attributes.port()),
                attributes.destinationLid());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = ibv_ah_attr.allocate(arena);
            attributes.write(memory);
            MemorySegment created = AddressHandleCalls.create(domain.segment(), memory);
            if (created.address() == 0) {
                throw refused("ibv_create_ah(%s)".formatted(attributes), domain, attributes, NativeCalls.lastErrno());
            }
            return new AddressHandle(domain, attributes, created);
        }
    }

    /**
     * Creates the handle, as a child of the domain; see {@link ProtectionDomain#createAddressHandle(int,
     * WorkCompletion, MemorySegment)}.
     */
    static AddressHandle create(ProtectionDomain domain, int port, WorkCompletion completion, MemorySegment header) {
        DeviceContext context = domain.context();
        // The attributes come first: they name the sender even if the handle cannot be created.
        AddressHandleAttributes sender = AddressHandleAttributes.ofSender(context, port, completion, header);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = SenderAddress.header(arena, completion, header);
            MemorySegment created =
                    AddressHandleCalls.createFromCompletion(domain.segment(), completion.segment(), copy, port);
            if (created.address() == 0) {
                throw refused("ibv_create_ah_from_wc(%s)".formatted(sender), domain, sender, NativeCalls.lastErrno());
            }
            return new AddressHandle(domain, sender, created);
        }
    }

    private static VerbsException refused(
            String operation, ProtectionDomain domain, AddressHandleAttributes attributes, int errno) {
        PathDiagnosis diagnosis = new PathDiagnosis("path", attributes, new OpenDeviceFacts(domain.context()));
        Explanation explanation = diagnosis.of(errno);
        if (errno == Errno.EINVAL) {
            diagnosis.addTo(explanation);
        } else if (errno == Errno.ENOMEM) {
            explanation.add("the device is out of address handles", "close unused address handles");
        }
        return Failures.of(operation, errno, explanation.cause(), explanation.remedy());
    }

    /** {@return the destination} */
    public AddressHandleAttributes attributes() {
        return attributes;
    }

    /** {@return the protection domain that it belongs to} */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /**
     * Queries the number of an address handle on an Elastic Fabric Adapter (efadv_query_ah(3)). Completions of messages
     * from this destination have it as {@link WorkCompletion#sourceLid()}.
     *
     * @return the number, 16 bits without a sign
     * @throws UnsupportedVerbException if the device is not an EFA
     * @throws VerbsException if the query fails
     */
    public int queryEfaNumber() {
        return locked(() -> EfaQueries.addressHandleNumber(domain.context().driver(), addressHandle));
    }

    /**
     * Returns the address of the {@code struct ibv_ah}, which the driver reads while it posts. A thread that posts
     * checks inside the queue pair's guard that the handle is open, and {@link #release()} waits until no thread is
     * inside that guard. So posting costs one load, and the handle needs no guard of its own.
     */
    long address() {
        return address;
    }

    @Override
    public long handle() {
        requireOpen();
        return address;
    }

    @Override
    void release() {
        ExclusiveGuard.awaitNobodyInside(
                all(QueuePair.class).map(QueuePair::sendGuard).toList());
        int result = ExportedVerb.DESTROY_AH.number(addressHandle);
        if (result != 0) {
            throw Failures.of("ibv_destroy_ah(%s)".formatted(attributes), Math.abs(result));
        }
    }

    /** {@return the destination} */
    @Override
    public String toString() {
        return "address handle " + attributes;
    }
}
