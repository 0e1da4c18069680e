// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.SendOpcode;
import java.lang.foreign.MemorySegment;

/**
 * Checks the arguments of a request against the limits of its queue pair before the request is recorded. The checks
 * that {@link Checks#ENABLED} controls can be turned off; the others keep requests within their memory.
 *
 * @param type the type of the queue pair
 * @param domain the domain in which the regions must be registered
 * @param maxInlineData in bytes
 * @param maxSendEntries the maximum number of slices of a request
 * @param maxMessageSize in bytes, of a send
 * @param maxRdmaSize in bytes, of a read or write
 * @param maxSegmentHeader in bytes, 0 without segmented sends
 * @param inlineWrites whether the writes of an SRD queue pair can be inline
 */
record PostingChecks(
        QueuePairType type,
        ProtectionDomain domain,
        int maxInlineData,
        int maxSendEntries,
        long maxMessageSize,
        long maxRdmaSize,
        int maxSegmentHeader,
        boolean inlineWrites) {
    /** The value for no shared receive queue; numbers have 24 bits. */
    static final int NO_NUMBER = -1;

    void oneSided(int opcode, MemorySlice local, RemoteMemory remote, int flags) {
        if (Checks.ENABLED) {
            transfer(opcode, local, maxRdmaSize, flags);
            Checks.remote(local.length(), remote);
        }
    }

    void oneSided(int opcode, SliceList local, RemoteMemory remote, int flags) {
        transfer(opcode, local, maxRdmaSize, flags);
        if (Checks.ENABLED) {
            Checks.remote(local.length(), remote);
        }
    }

    void read(MemorySlice local, RemoteMemory remote, int flags) {
        if (Checks.ENABLED) {
            oneSided(SendOpcode.RDMA_READ, local, remote, flags);
            requireNotInline(SendOpcode.RDMA_READ, flags);
            Checks.writable(local);
        }
    }

    void read(SliceList local, RemoteMemory remote, int flags) {
        oneSided(SendOpcode.RDMA_READ, local, remote, flags);
        if (Checks.ENABLED) {
            requireNotInline(SendOpcode.RDMA_READ, flags);
            Checks.writable(local);
        }
    }

    void send(int opcode, MemorySlice local, int flags) {
        if (Checks.ENABLED) {
            transfer(opcode, local, maxMessageSize, flags);
        }
    }

    void send(int opcode, SliceList local, int flags) {
        transfer(opcode, local, maxMessageSize, flags);
    }

    private void transfer(int opcode, MemorySlice local, long longest, int flags) {
        Checks.operation(type, opcode);
        Checks.flags(flags, maxInlineData, local.length());
        Checks.local(local, domain, longest);
    }

    private void transfer(int opcode, SliceList local, long longest, int flags) {
        // This check cannot be turned off: more entries would overwrite the next request's.
        if (local.size() > maxSendEntries && (flags & SendFlags.INLINE) == 0) {
            throw Checks.tooManyEntries(local.size(), maxSendEntries, "QueuePairConfig.maxSendScatterGather");
        }
        if (Checks.ENABLED) {
            Checks.operation(type, opcode);
            Checks.flags(flags, maxInlineData, local.length());
            Checks.local(local, domain, longest);
        }
    }

    void atomic(int opcode, MemorySlice previous, RemoteMemory remote, int flags) {
        if (Checks.ENABLED) {
            send(opcode, previous, flags);
            requireNotInline(opcode, flags);
            Checks.atomic(previous, remote);
            Checks.writable(previous);
        }
    }

    void operation(int opcode, int flags) {
        if (Checks.ENABLED) {
            Checks.operation(type, opcode);
            Checks.flags(flags, maxInlineData, 0);
            requireNotInline(opcode, flags);
        }
    }

    void segmentedSend(MemorySegment header, int maxSegmentSize, SliceList local, int flags) {
        send(SendOpcode.SEGMENTED_SEND, local, flags);
        requireNotInline(SendOpcode.SEGMENTED_SEND, flags);
        if (header.byteSize() < 1 || header.byteSize() > maxSegmentHeader) {
            throw new IllegalArgumentException(
                    "a header of %d bytes: this queue pair allows 1..%d (QueuePairConfig.maxSegmentHeader)"
                            .formatted(header.byteSize(), maxSegmentHeader));
        }
        if (maxSegmentSize < 1 || maxSegmentSize >>> Short.SIZE != 0) {
            throw new IllegalArgumentException("segments of %d bytes: 1..65535 are possible".formatted(maxSegmentSize));
        }
    }

    /**
     * Checks that datagrams can be sent to a destination. These checks cannot be turned off: adapters' libraries would
     * dereference a bad pointer.
     *
     * @param queue the queue pair, for the message
     */
    void destination(QueuePair queue, Destination destination) {
        if (type != QueuePairType.UD && type != QueuePairType.DRIVER) {
            throw new IllegalArgumentException(
                    "a queue pair of type %s sends to its peer, not to a destination".formatted(type));
        }
        ProtectionDomain domainOfHandle = destination.addressHandle().protectionDomain();
        // The device context must also be the same: closing an address handle waits only for posting threads of its own
        // context.
        if (!domainOfHandle.isSameAs(domain) || domainOfHandle.context() != domain.context()) {
            throw new IllegalArgumentException(
                    destination.addressHandle() + " is of another protection domain than " + queue);
        }
    }

    void sharedReceiveQueue(int number) {
        if (type != QueuePairType.XRC_SEND) {
            throw new IllegalArgumentException(
                    "a queue pair of type %s does not choose the shared receive queue".formatted(type));
        }
        if (number >>> 24 != 0) {
            throw new IllegalArgumentException("shared receive queue 0x%x has more than 24 bits".formatted(number));
        }
    }

    /** Checks that a request names its destination, if the type of the queue pair requires it. */
    void requireAddress(Destination destination, int sharedReceiveQueue) {
        if ((type == QueuePairType.UD || type == QueuePairType.DRIVER) && destination == null) {
            throw new IllegalArgumentException(
                    "a datagram needs a destination: pass one to tryPostSend, or to to(...) of a batch or a prepared"
                            + " request");
        }
        if (type == QueuePairType.XRC_SEND && sharedReceiveQueue == NO_NUMBER) {
            throw new IllegalArgumentException(
                    "a request of an XRC queue pair needs the peer's shared receive queue: toSharedReceiveQueue(...)"
                            + " was not called");
        }
    }

    /**
     * Checks the flags of a request of an SRD queue pair, as it is posted. libefa refuses the others without a reason.
     */
    void requireFlagsOfSrd(int opcode, int flags) {
        if ((flags & SendFlags.SIGNALED) == 0) {
            throw new IllegalArgumentException(
                    "EFA has no requests without a completion: give SendFlags.SIGNALED to each");
        }
        if ((flags & ~(SendFlags.SIGNALED | SendFlags.INLINE)) != 0) {
            throw new IllegalArgumentException(
                    "flags 0x%x: EFA takes SendFlags.SIGNALED and INLINE only".formatted(flags));
        }
        boolean inlineWrite = inlineWrites && opcode != SendOpcode.RDMA_READ;
        if (opcode != SendOpcode.SEND && opcode != SendOpcode.SEND_WITH_IMMEDIATE && !inlineWrite) {
            requireNotInline(opcode, flags);
        }
    }

    private static void requireNotInline(int opcode, int flags) {
        if ((flags & SendFlags.INLINE) != 0) {
            throw new IllegalArgumentException("a %s cannot be inline".formatted(SendOpcode.name(opcode)));
        }
    }
}
