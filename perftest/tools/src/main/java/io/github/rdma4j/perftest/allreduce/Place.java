// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.perftest.exit.RunFailedException;
import java.util.ArrayList;
import java.util.List;

/**
 * The location of a rank.
 *
 * @param host name of its machine
 * @param process number of its process
 * @param gpu in words
 */
record Place(String host, long process, String gpu) {
    /** The separator of the lines of a location, and of locations. */
    static final String SEPARATOR = "\n";

    private static final int LINES = 3;

    /** Returns the text that ranks exchange: three lines. */
    String write() {
        return String.join(SEPARATOR, host, Long.toString(process), gpu);
    }

    /**
     * Parses the locations of all ranks, in order.
     *
     * @throws RunFailedException if a rank has sent something else
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
            throw new RunFailedException(
                    "a rank does not report its place", "start all ranks with the same version of rdma4j");
        }
        return places;
    }
}
