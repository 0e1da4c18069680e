// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.util.SortedMap;

/**
 * One line of the charts: what one program of one document measured, by size.
 *
 * @param name as shown
 * @param party whose program
 * @param variant counts the series of the same party, from 0: they share a colour, and differ in their dashes
 * @param test where the settings are
 * @param document the short name of its file
 * @param results by size; those of echoes by messages per second
 */
record Series(String name, Party party, int variant, TestRun test, String document, SortedMap<Long, Result> results) {
    /** The name, with the size where it is not the one that is asked for. */
    String nameAt(Result result, long size) {
        return result.size() == size || test.isEcho() ? name : name + " (" + Figures.size(result.size()) + ")";
    }
}
