// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.ordered;

/**
 * The result of one path.
 *
 * @param way the path
 * @param microseconds of half a round, on average
 * @param hostShare the processor time of the program's thread by the time that passed, 0 to 1; a proxy's not counted
 */
record OrderedResult(String way, double microseconds, double hostShare) {}
