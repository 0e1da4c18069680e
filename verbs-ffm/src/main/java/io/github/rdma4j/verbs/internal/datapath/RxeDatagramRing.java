// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static io.github.rdma4j.verbs.internal.NativeMemory.getInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.getLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.putInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.structure;

import io.github.rdma4j.verbs.internal.NativeMemory;
import io.github.rdma4j.verbs.internal.SendOpcode;
import io.github.rdma4j.verbs.internal.SendRequests;

/**
 * The send queue of a datagram queue pair of SoftRoCE. A request in the ring names the way to its peer by a number that
 * the kernel has given the address handle, and that librxe keeps to itself. So the first datagram by each handle goes
 * through librxe's function, which writes the number into the ring; there it is read, and kept where
 * {@link SendRequests#datagram} says. No structure of librxe's is looked into, and a handle that takes the place of a
 * destroyed one has a number of its own to be learnt.
 *
 * <p>A list with such a datagram goes through the function as a whole, so that the requests keep their order.
 */
public final class RxeDatagramRing extends SendPath {
    /** Where the number of an address handle is kept: a zero at first. */
    public static final long NUMBER_BYTES = Integer.BYTES;

    private static final int DATAGRAMS = SendOpcode.mask(SendOpcode.SEND, SendOpcode.SEND_WITH_IMMEDIATE);

    private final RxeSendRing ring;
    private final SendFunctions functions;
    private volatile boolean numberless;

    RxeDatagramRing(RxeSendRing ring, SendFunctions functions) {
        this.ring = ring;
        this.functions = functions;
    }

    /** {@return the ring as it is now} */
    RxeQueue queue() {
        return ring.queue();
    }

    @Override
    public int post(SendRequests requests) {
        for (long address = requests.address(); address != 0; address = next(address)) {
            long place = placeOfNumber(address);
            if (place == 0 || getInt(place) == 0) {
                return learn(requests);
            }
        }
        return ring.post(requests);
    }

    private static long next(long request) {
        return getLong(structure(request) + SendRequestLayout.NEXT);
    }

    /** Where the number of its handle is kept; 0 for what is no datagram, which is the function's to refuse. */
    private static long placeOfNumber(long request) {
        int opcode = NativeMemory.second(getLong(structure(request) + SendRequestLayout.ENTRIES_AND_OPCODE));
        return (1 << opcode & DATAGRAMS) == 0
                ? 0
                : structure(getLong(structure(request) + SendRequestLayout.DATAGRAM_HANDLE_NUMBER));
    }

    /** What was refused is not in the ring, and stays to be learnt; what the doorbell refuses is. */
    private int learn(SendRequests requests) {
        RxeQueue queue = ring.queue();
        int index = queue.producer();
        int result = functions.post(requests);
        int end = queue.producer();
        for (long address = requests.address(); index != end && address != 0; address = next(address)) {
            long place = placeOfNumber(address);
            if (place != 0) {
                // The kernel may have taken the request, but leaves this part of it as it was.
                int number = getInt(queue.element(index) + RxeLayout.DATAGRAM_HANDLE);
                putInt(place, number);
                numberless |= number == 0;
            }
            index = queue.after(index);
        }
        return result;
    }

    @Override
    public String refusal() {
        return numberless
                ? "this kernel is too old to number address handles, by which datagrams in a ring name their way"
                : "";
    }
}
