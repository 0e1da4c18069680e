// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.SendOpcode;

/**
 * Checks of the posting methods: flags, bounds, rights, open regions. They cost a few nanoseconds, and turn a mistake
 * that would break the connection into an exception. {@value #PROPERTY}{@code =false} turns them off, except that use
 * after close is always an exception.
 */
final class Checks {
    /** The system property that turns the checks off. */
    static final String PROPERTY = "io.github.rdma4j.verbs.checks";

    static final boolean ENABLED = !"false".equals(System.getProperty(PROPERTY));

    private Checks() {}

    static void flags(int flags, int maxInlineData, long length) {
        if ((flags & ~SendFlags.ALL) != 0) {
            throw new IllegalArgumentException("flags 0x%x are not all of SendFlags".formatted(flags));
        }
        if ((flags & SendFlags.INLINE) != 0 && length > maxInlineData) {
            throw tooLongInline(length, maxInlineData);
        }
    }

    static IllegalArgumentException tooLongInline(long length, int maxInlineData) {
        return new IllegalArgumentException(
                "%d bytes inline: this queue pair carries at most %d (QueuePairConfig.maxInlineData)"
                        .formatted(length, maxInlineData));
    }

    static void local(MemorySlice local, ProtectionDomain domain, long maxMessageSize) {
        MemoryRegion region = local.region();
        region.requireOpenSoon();
        if (region.domain() != domain && !region.protectionDomain().isSameAs(domain)) {
            throw new IllegalArgumentException(
                    region + " is registered in another protection domain than this queue's: register the memory in"
                            + " the queue's domain; for an endpoint, use memory from its allocateMemory");
        }
        if (local.length() > maxMessageSize) {
            throw new IllegalArgumentException(
                    "a message of %d bytes: the port carries at most %d".formatted(local.length(), maxMessageSize));
        }
    }

    static void local(SliceList local, ProtectionDomain domain, long maxMessageSize) {
        for (int i = 0; i < local.size(); i++) {
            local(local.get(i), domain, maxMessageSize);
        }
        if (local.length() > maxMessageSize) {
            throw new IllegalArgumentException(
                    "a message of %d bytes: the port carries at most %d".formatted(local.length(), maxMessageSize));
        }
    }

    static void writable(SliceList local) {
        for (int i = 0; i < local.size(); i++) {
            writable(local.get(i));
        }
    }

    static IllegalArgumentException tooManyEntries(int entries, int limit, String setting) {
        return new IllegalArgumentException(
                "%d slices: a request of this queue takes at most %d (%s)".formatted(entries, limit, setting));
    }

    /** For extended posting, where SoftRoCE's library before rdma-core 64 confuses the lengths of slices. */
    static void equalLengths(SliceList list) {
        for (int i = 1; i < list.size(); i++) {
            if (list.get(i).length() != list.get(0).length()) {
                throw new UnsupportedVerbException(
                        "posting slices of %d and %d bytes"
                                .formatted(list.get(0).length(), list.get(i).length()),
                        Errno.EOPNOTSUPP,
                        "with extended posting, SoftRoCE's library before rdma-core 64 confuses their lengths; basic"
                                + " posting does not");
            }
        }
    }

    static void operation(QueuePairType type, int opcode) {
        if (!type.allows(opcode)) {
            throw new IllegalArgumentException(
                    "a queue pair of type %s has no %s".formatted(type, SendOpcode.name(opcode)));
        }
    }

    static void atomic(MemorySlice previous, RemoteMemory remote) {
        if (previous.length() != Long.BYTES) {
            throw new IllegalArgumentException(
                    "an atomic operation returns 8 bytes, and the local slice has " + previous.length());
        }
        atomic(remote);
    }

    static void atomic(RemoteMemory remote) {
        if (remote.length() < Long.BYTES || (remote.address() & Long.BYTES - 1) != 0) {
            throw new IllegalArgumentException(
                    "an atomic operation works on 8 bytes at a multiple of 8, not on " + remote);
        }
    }

    static void writable(MemorySlice local) {
        if (!local.region().allows(AccessFlag.LOCAL_WRITE)) {
            throw new IllegalArgumentException(local.region() + " was registered without LOCAL_WRITE");
        }
    }

    static void remote(long length, RemoteMemory remote) {
        if (remote.length() < length) {
            throw new IllegalArgumentException("%d bytes do not fit into %s".formatted(length, remote));
        }
    }

    /** For a batch that is used by a thread that did not start it. */
    static IllegalStateException usedByAnother(String batch, Thread user, String start) {
        return new IllegalStateException(
                "%s is used by %s, but was started by %s: a batch belongs to the thread that calls %s"
                        .formatted(batch, Thread.currentThread(), user, start));
    }
}
