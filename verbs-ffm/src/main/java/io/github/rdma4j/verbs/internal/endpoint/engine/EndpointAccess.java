// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.MemoryWindow;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.endpoint.ClosedByPeerException;
import io.github.rdma4j.verbs.endpoint.ConnectionLostException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointException;
import io.github.rdma4j.verbs.endpoint.ExposedMemory;
import io.github.rdma4j.verbs.endpoint.GrantedMemory;
import io.github.rdma4j.verbs.endpoint.IncompatiblePeerException;
import io.github.rdma4j.verbs.endpoint.MemoryHandle;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.endpoint.NotAdmittedException;
import io.github.rdma4j.verbs.endpoint.OutgoingMessage;
import io.github.rdma4j.verbs.endpoint.TransferException;
import io.github.rdma4j.verbs.endpoint.Transfers;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Loss;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The members of exported types that only the implementation may use. The exported package implements this interface,
 * so that programs see none of it.
 */
public interface EndpointAccess {
    /** A constant, so that the compiler inlines what is called through it. */
    EndpointAccess ACCESS = Handover.taken();

    Endpoint endpoint(Engine engine, Memories memories, Duration closeTimeout, Hello peer);

    Engine engine(Endpoint endpoint);

    /** Keeps the reason why RDMA was not used. */
    Endpoint withRdmaFailure(Endpoint endpoint, RuntimeException failure);

    // ---- Messages ----

    Message message(MemorySegment buffer);

    /** Shows a message of so many bytes. */
    Message open(Message message, long bytes);

    /** The whole buffer, with any position and limit. */
    ByteBuffer whole(Message message);

    /** Says where a message goes back to. */
    Message of(Message message, Engine engine, int buffer);

    /** Ends the program's view of a message; returns false if the program holds it. */
    boolean close(Message message);

    OutgoingMessage outgoingMessage(Engine engine, int slot, MemorySegment segment);

    // ---- Exposed memory ----

    ExposedMemory exposeNew(ProtectionDomain domain, long size, AccessFlag... rights);

    ExposedMemory expose(ProtectionDomain domain, MemorySlice slice, boolean owned, AccessFlag... rights);

    ExposedMemory expose(MemorySlice slice, boolean owned, AccessFlag... rights);

    /** The flags that memory must be registered with to give peers these rights. */
    AccessFlag[] access(AccessFlag... rights);

    /** Checks and collects rights. */
    EnumSet<AccessFlag> rights(AccessFlag... rights);

    // ---- Granted memory ----

    /** Throws if one of the rights is of no use to a peer. */
    void requireRemote(Set<AccessFlag> rights);

    /**
     * Memory that one peer can use.
     *
     * @param window null if there is none
     * @param base what was registered for this grant; null if the window belongs to the program's own region
     * @param owned what was allocated for this grant; null if the memory is the program's
     * @param shared why other peers can also use it; null if they cannot
     */
    GrantedMemory grantedMemory(
            MemorySlice slice,
            MemoryHandle handle,
            MemoryWindow window,
            MemoryRegion base,
            MemoryRegion owned,
            String shared);

    MemoryRegion base(GrantedMemory granted);

    MemoryRegion owned(GrantedMemory granted);

    /** Whether nothing is left to close. */
    boolean isGone(GrantedMemory granted);

    /** Waits for an operation, and withdraws it if it has not begun in time. */
    <T> T await(Transfers transfers, String operation, Supplier<Promise<T>> start, Duration timeout);

    // ---- Exceptions ----

    EndpointException endpointException(String operation, String explanation, String remedy);

    /** A transfer that the adapter or the peer has refused. */
    TransferException transferException(
            String operation, WorkCompletionStatus status, int vendorError, String description);

    /** A transfer whose outcome is unknown. */
    TransferException transferException(String operation, WorkCompletionStatus status, String cause, String remedy);

    ClosedByPeerException closedByPeer(String operation);

    ConnectionLostException lost(String operation, Loss loss);

    NotAdmittedException notAdmitted(String operation, String explanation, String remedy);

    IncompatiblePeerException incompatiblePeer(String operation, String explanation, String remedy);

    /** The way from the exported package to {@link #ACCESS}, in a class of its own so that no two threads deadlock. */
    final class Handover {
        private static EndpointAccess given;

        private Handover() {}

        /** Called when {@link Endpoint} is initialized. */
        public static void install(EndpointAccess access) {
            given = access;
        }

        private static EndpointAccess taken() {
            try {
                MethodHandles.lookup().ensureInitialized(Endpoint.class);
            } catch (IllegalAccessException e) {
                throw new ExceptionInInitializerError(e);
            }
            return given;
        }
    }
}
