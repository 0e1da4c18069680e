// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.util.SortedMap;

/**
 * One line of the charts: the results of one program in one document, by size.
 *
 * @param name as shown
 * @param party the party whose program it is
 * @param variant counts the series of the same party, from 0: they share a colour and differ in their dashes
 * @param test the test with the settings
 * @param document the short name of its file
 * @param results by size
 */
record Series(
        String name, Party party, int variant, ProgramRun test, String document, SortedMap<Long, Result> results) {
    /** Returns the name, with the size if it differs from the requested one. */
    String nameAt(Result result, long size) {
        return result.size() == size ? name : name + " (" + Figures.size(result.size()) + ")";
    }
}
