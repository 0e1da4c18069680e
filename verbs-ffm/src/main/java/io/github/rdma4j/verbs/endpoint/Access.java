// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.MemoryWindow;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess;
import io.github.rdma4j.verbs.internal.endpoint.engine.Engine;
import io.github.rdma4j.verbs.internal.endpoint.engine.Memories;
import io.github.rdma4j.verbs.internal.endpoint.group.GroupAccess;
import io.github.rdma4j.verbs.internal.endpoint.group.SharedQueues;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Loss;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;

/** Gives the implementation of endpoints what programs must not use. */
final class Access implements EndpointAccess, GroupAccess {
    private Access() {}

    static void install() {
        Handover.install(new Access());
    }

    @Override
    public Endpoint endpoint(Engine engine, Memories memories, Duration closeTimeout, Hello peer) {
        return new Endpoint(engine, memories, closeTimeout, peer);
    }

    @Override
    public Engine engine(Endpoint endpoint) {
        return endpoint.engine();
    }

    @Override
    public Endpoint withRdmaFailure(Endpoint endpoint, RuntimeException failure) {
        return endpoint.withRdmaFailure(failure);
    }

    @Override
    public SharedQueues queues(EndpointGroup group, DeviceContext device) {
        return group.on(device);
    }

    @Override
    public Message message(MemorySegment buffer) {
        return new Message(buffer);
    }

    @Override
    public Message open(Message message, long bytes) {
        return message.open(bytes);
    }

    @Override
    public ByteBuffer whole(Message message) {
        return message.whole();
    }

    @Override
    public Message of(Message message, Engine engine, int buffer) {
        return message.of(engine, buffer);
    }

    @Override
    public boolean close(Message message) {
        return message.close();
    }

    @Override
    public OutgoingMessage outgoingMessage(Engine engine, int slot, MemorySegment segment) {
        return new OutgoingMessage(engine, slot, segment);
    }

    @Override
    public ExposedMemory exposeNew(ProtectionDomain domain, long size, AccessFlag... rights) {
        return ExposedMemory.allocate(domain, size, rights);
    }

    @Override
    public ExposedMemory expose(ProtectionDomain domain, MemorySlice slice, boolean owned, AccessFlag... rights) {
        return ExposedMemory.of(domain, slice, owned, rights);
    }

    @Override
    public ExposedMemory expose(MemorySlice slice, boolean owned, AccessFlag... rights) {
        return ExposedMemory.of(slice, owned, rights);
    }

    @Override
    public AccessFlag[] access(AccessFlag... rights) {
        return ExposedMemory.access(rights);
    }

    @Override
    public EnumSet<AccessFlag> rights(AccessFlag... rights) {
        return ExposedMemory.rights(rights);
    }

    @Override
    public void requireRemote(Set<AccessFlag> rights) {
        MemoryHandle.requireRemote(rights);
    }

    @Override
    public GrantedMemory grantedMemory(
            MemorySlice slice,
            MemoryHandle handle,
            MemoryWindow window,
            MemoryRegion base,
            MemoryRegion owned,
            String shared) {
        return new GrantedMemory(slice, handle, window, base, owned, shared);
    }

    @Override
    public MemoryRegion base(GrantedMemory granted) {
        return granted.base();
    }

    @Override
    public MemoryRegion owned(GrantedMemory granted) {
        return granted.owned();
    }

    @Override
    public boolean isGone(GrantedMemory granted) {
        return granted.isGone();
    }

    @Override
    public <T> T await(Transfers transfers, String operation, Supplier<Promise<T>> start, Duration timeout) {
        return transfers.await(operation, start, timeout);
    }

    @Override
    public EndpointException endpointException(String operation, String explanation, String remedy) {
        return new EndpointException(operation, explanation, remedy);
    }

    @Override
    public TransferException transferException(
            String operation, WorkCompletionStatus status, int vendorError, String description) {
        return new TransferException(operation, status, vendorError, description);
    }

    @Override
    public TransferException transferException(
            String operation, WorkCompletionStatus status, String cause, String remedy) {
        return new TransferException(operation, status, cause, remedy);
    }

    @Override
    public ClosedByPeerException closedByPeer(String operation) {
        return new ClosedByPeerException(operation);
    }

    @Override
    public ConnectionLostException lost(String operation, Loss loss) {
        return loss.corruption() == null
                ? new ConnectionLostException(operation, loss.reason(), loss.cause())
                : new CorruptMessageException(operation, loss.reason(), loss.corruption());
    }

    @Override
    public NotAdmittedException notAdmitted(String operation, String explanation, String remedy) {
        return new NotAdmittedException(operation, explanation, remedy);
    }

    @Override
    public IncompatiblePeerException incompatiblePeer(String operation, String explanation, String remedy) {
        return new IncompatiblePeerException(operation, explanation, remedy);
    }
}
