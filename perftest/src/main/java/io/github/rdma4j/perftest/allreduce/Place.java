// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.perftest.exit.TestFailedException;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a rank was.
 *
 * @param host name of its machine
 * @param process number of its process
 * @param gpu in words
 */
record Place(String host, long process, String gpu) {
    /** Between the lines of a place, and between places. */
    static final String SEPARATOR = "\n";

    private static final int LINES = 3;

    /** As ranks tell it each other: a line for each. */
    String write() {
        return String.join(SEPARATOR, host, Long.toString(process), gpu);
    }

    /**
     * Reads those of all ranks, in order.
     *
     * @throws TestFailedException if a rank has told something else
     */
    static List<Place> read(String text, int ranks) {
        String[] lines = text.split(SEPARATOR, -1);
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < lines.length && lines.length == LINES * ranks; i += LINES) {
            if (!lines[i + 1].matches("\\d{1,10}")) {
                break;
            }
            places.add(new Place(lines[i], Long.parseLong(lines[i + 1]), lines[i + 2]));
        }
        if (places.size() != ranks) {
            throw new TestFailedException(
                    "a rank does not tell where it is", "start all ranks with the same version of rdma4j");
        }
        return places;
    }
}
