// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_gid;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.internal.ColdCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The multicast groups that a queue pair is attached to. The kernel does not destroy a queue pair that is in a group,
 * so a close must detach from all of them.
 */
final class MulticastGroups {
    private final QueuePair queuePair;
    /** Changed only with the lock of the resource tree held. */
    private final Set<Group> attached = new LinkedHashSet<>();

    private record Group(Gid gid, int lid) {
        @Override
        public String toString() {
            return "GID %s, LID 0x%x".formatted(gid, lid);
        }
    }

    MulticastGroups(QueuePair queuePair) {
        this.queuePair = queuePair;
    }

    void attach(Gid gid, int lid) {
        Group group = checked(gid, lid);
        queuePair.locked(() -> {
            if (attached.contains(group)) {
                throw new IllegalStateException("%s is attached to the group already: %s".formatted(queuePair, group));
            }
            try (Arena arena = Arena.ofConfined()) {
                int errno = Math.abs(
                        ExportedVerb.ATTACH_MCAST.number(queuePair.segment(), write(gid, arena), ColdCalls.word(lid)));
                if (errno != 0) {
                    throw refused(group, errno);
                }
            }
            attached.add(group);
            return group;
        });
    }

    void detach(Gid gid, int lid) {
        Group group = checked(gid, lid);
        queuePair.locked(() -> {
            if (!attached.contains(group)) {
                throw new IllegalStateException("%s is not attached to the group: %s".formatted(queuePair, group));
            }
            detach(group);
            return group;
        });
    }

    /** Detaches from all groups before the queue pair is destroyed; called with the lock held. */
    void detachAll() {
        for (Group group : new ArrayList<>(attached)) {
            detach(group);
        }
    }

    private void detach(Group group) {
        try (Arena arena = Arena.ofConfined()) {
            Failures.check(
                    "ibv_detach_mcast(0x%06x, %s)".formatted(queuePair.number(), group),
                    ExportedVerb.DETACH_MCAST.number(
                            queuePair.segment(), write(group.gid, arena), ColdCalls.word(group.lid)));
        }
        attached.remove(group);
    }

    private Group checked(Gid gid, int lid) {
        if (queuePair.type() != QueuePairType.UD) {
            throw new IllegalStateException(
                    "multicast groups are for UD queue pairs, and this is a queue pair of type " + queuePair.type());
        }
        if (!gid.isMulticast()) {
            throw new IllegalArgumentException(
                    "GID %s names no multicast group: it must start with ff, or be an IPv4 one of 224.0.0.0/4"
                            .formatted(gid));
        }
        if (lid < 0 || lid > 0xffff) {
            throw new IllegalArgumentException("multicast LID 0x%x has more than 16 bits".formatted(lid));
        }
        return new Group(gid, lid);
    }

    private static MemorySegment write(Gid gid, Arena arena) {
        return arena.allocate(ibv_gid.sizeof(), Long.BYTES)
                .copyFrom(MemorySegment.ofArray(gid.bytes()).asSlice(0, Gid.LENGTH));
    }

    private VerbsException refused(Group group, int errno) {
        String operation = "ibv_attach_mcast(0x%06x, %s)".formatted(queuePair.number(), group);
        return switch (errno) {
            case Errno.EINVAL ->
                Failures.of(
                        operation,
                        errno,
                        "the LID is none of a multicast group, or the device does not take the group",
                        "on InfiniBand give the LID that the subnet administration named when the port joined, 0xc000"
                                + " or above");
            case Errno.ENOMEM ->
                Failures.of(
                        operation,
                        errno,
                        "the device cannot hold another group or another member",
                        "detach from unused groups (DeviceAttributes has the limits)");
            default -> Failures.of(operation, errno);
        };
    }
}
