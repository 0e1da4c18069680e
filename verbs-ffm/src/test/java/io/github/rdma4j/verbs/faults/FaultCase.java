// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults;

import java.util.function.Consumer;

/**
 * A sequence of calls of a program, from creation to close. Each of its native calls fails in turn.
 *
 * @param name for the report
 * @param points how many calls were found when the case was written; fewer mean that some are not seen any more
 * @param steps what the program does
 */
public record FaultCase(String name, int points, Consumer<Steps> steps) {}
