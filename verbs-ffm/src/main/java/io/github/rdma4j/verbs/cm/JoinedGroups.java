// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.AddressHandleAttributes;
import io.github.rdma4j.verbs.GlobalRoute;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.internal.CmCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.SocketAddresses;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToIntFunction;

/** The multicast groups of an id, and whether its queue pair is attached to them. Guarded by the channel's lock. */
final class JoinedGroups {
    /** By the number that the native join passes as the user's pointer, and that its event returns. */
    private final Map<Long, Group> groups = new HashMap<>();

    private long lastKey;

    private record Group(InetSocketAddress address, MulticastMembership membership, Gid gid, int lid) {
        boolean isAttached() {
            return gid != null;
        }
    }

    int join(InetSocketAddress address, MulticastMembership membership, ToIntFunction<MemorySegment> join) {
        long key = ++lastKey;
        int errno = join.applyAsInt(MemorySegment.ofAddress(key));
        if (errno == 0) {
            groups.put(key, new Group(address, membership, null, 0));
        }
        return errno;
    }

    /**
     * Attaches the queue pair to the group, unless it only sends; librdmacm does so within rdma_get_cm_event(3). If
     * that fails, the id leaves the group again.
     */
    CmEvent joined(CmEvent event, QueuePair queuePair) {
        Group group = groups.get(event.joinKey());
        if (group == null || group.membership() != MulticastMembership.FULL_MEMBER) {
            return event;
        }
        AddressHandleAttributes path = event.datagramParameters().orElseThrow().path();
        Gid gid = path.globalRoute().map(GlobalRoute::destinationGid).orElse(Gid.ZERO);
        try {
            queuePair.attachMulticast(gid, path.destinationLid());
        } catch (VerbsException e) {
            return failed(event, group, e);
        } catch (IllegalStateException | IllegalArgumentException e) {
            String remedy = queuePair.isOpen()
                    ? "join a multicast address, and each once until it is left"
                    : "keep the queue pair open until it has joined";
            VerbsException failure =
                    new VerbsException("attaching to " + group.address(), Errno.EINVAL, e.getMessage(), remedy);
            failure.initCause(e);
            return failed(event, group, failure);
        }
        groups.put(event.joinKey(), new Group(group.address(), group.membership(), gid, path.destinationLid()));
        return event;
    }

    /** The kernel considers the id joined, and the program would not leave a group whose join has failed. */
    private CmEvent failed(CmEvent event, Group group, VerbsException failure) {
        groups.remove(event.joinKey());
        try (Arena arena = Arena.ofConfined()) {
            int errno = CmCalls.leaveMulticast(event.id().segment(), SocketAddresses.write(arena, group.address()));
            if (errno != 0) {
                failure.addSuppressed(Failures.of("rdma_leave_multicast(" + group.address() + ")", errno));
            }
        }
        return event.as(CmEventType.MULTICAST_ERROR, failure);
    }

    /** Detaches the queue pair, if there is one. */
    void leave(InetSocketAddress address, ManagedQueuePair managed) {
        groups.values().removeIf(group -> {
            if (!group.address().equals(address)) {
                return false;
            }
            if (group.isAttached() && managed != null && managed.queuePair().isOpen()) {
                managed.queuePair().detachMulticast(group.gid(), group.lid());
            }
            return true;
        });
    }
}
