// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.rdma;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.Errno;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** The inline data of an endpoint's queue pair. A device's limit cannot be queried. */
public final class InlineSizes {
    private static final int[] SMALLER = {128, 96, 64, 48, 32, 0};

    private InlineSizes() {}

    /**
     * Creates a queue pair, with less inline data if the device refuses: messages then travel from registered memory.
     *
     * @param most the number of bytes to begin with
     * @param least the number of bytes that is needed
     * @param creation creates a queue pair with a number of bytes
     * @return the queue pair
     * @throws VerbsException the first one, if the device refuses all sizes
     */
    public static <T> T largest(int most, int least, IntFunction<T> creation) {
        int first = Math.max(most, least);
        try {
            return creation.apply(first);
        } catch (VerbsException refused) {
            int[] smaller = IntStream.of(SMALLER)
                    .map(size -> Math.max(size, least))
                    .filter(size -> size < first)
                    .distinct()
                    .toArray();
            for (int size : smaller) {
                if (refused.errno() != Errno.EINVAL) {
                    break;
                }
                try {
                    return creation.apply(size);
                } catch (VerbsException again) {
                    refused.addSuppressed(again);
                }
            }
            throw refused;
        }
    }
}
