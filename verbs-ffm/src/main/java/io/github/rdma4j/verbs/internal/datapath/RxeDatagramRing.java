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
 * The send queue of a datagram queue pair of SoftRoCE. A request in the ring names its address handle by a number that
 * the kernel has assigned and that librxe keeps private. So the first datagram with each handle goes through librxe's
 * function, which writes the number to the ring. It is read there, and stored at the address in
 * {@link SendRequests#datagram}. No structure of librxe is read, and the number of a new handle is found in the same
 * way.
 *
 * <p>A list with such a datagram goes through the function as a whole, so that the requests keep their order.
 */
public final class RxeDatagramRing extends SendPath {
    /** The size of the number of an address handle, initially zero. */
    public static final long NUMBER_BYTES = Integer.BYTES;

    private static final int DATAGRAMS = SendOpcode.mask(SendOpcode.SEND, SendOpcode.SEND_WITH_IMMEDIATE);

    private final RxeSendRing ring;
    private final SendFunctions functions;
    private volatile boolean numberless;

    RxeDatagramRing(RxeSendRing ring, SendFunctions functions) {
        this.ring = ring;
        this.functions = functions;
    }

    /** {@return the current ring} */
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

    /**
     * Returns the address at which the number of the request's handle is stored; 0 if it is not a datagram, which the
     * function refuses.
     */
    private static long placeOfNumber(long request) {
        int opcode = NativeMemory.second(getLong(structure(request) + SendRequestLayout.ENTRIES_AND_OPCODE));
        return (1 << opcode & DATAGRAMS) == 0
                ? 0
                : structure(getLong(structure(request) + SendRequestLayout.DATAGRAM_HANDLE_NUMBER));
    }

    /**
     * Posts through the function, and reads the numbers of handles from the ring. A request that was refused is not in
     * the ring; a request that the doorbell refuses is.
     */
    private int learn(SendRequests requests) {
        RxeQueue queue = ring.queue();
        int index = queue.producer();
        int result = functions.post(requests);
        int end = queue.producer();
        for (long address = requests.address(); index != end && address != 0; address = next(address)) {
            long place = placeOfNumber(address);
            if (place != 0) {
                // The kernel may have processed the request, but leaves this part unchanged.
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
        return numberless ? "this kernel is too old to number address handles, which datagrams in a ring need" : "";
    }
}
