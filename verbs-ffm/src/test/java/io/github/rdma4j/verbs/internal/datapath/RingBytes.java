// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** What stands in the rings of a queue pair, for tests that compare who wrote it. */
public final class RingBytes {
    private RingBytes() {}

    /**
     * The requests that the driver has not taken.
     *
     * @param ring of a queue pair
     * @return a copy of each
     */
    public static List<byte[]> waiting(SendPath ring) {
        return waiting(ring instanceof RxeDatagramRing datagrams ? datagrams.queue() : ((RxeSendRing) ring).queue());
    }

    /**
     * The receives that the driver has not taken.
     *
     * @param ring of a queue pair
     * @return a copy of each
     */
    public static List<byte[]> waiting(ReceivePath ring) {
        return waiting(((RxeReceiveRing) ring).queue());
    }

    private static List<byte[]> waiting(RxeQueue queue) {
        List<byte[]> elements = new ArrayList<>();
        long size = queue.element(1) - queue.element(0);
        for (int index = queue.consumer(); index != queue.producer(); index = queue.after(index)) {
            elements.add(MemorySegment.ofAddress(queue.element(index))
                    .reinterpret(size)
                    .toArray(ValueLayout.JAVA_BYTE));
        }
        return elements;
    }
}
