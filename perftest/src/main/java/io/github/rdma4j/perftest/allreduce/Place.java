// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

/**
 * Where a rank was.
 *
 * @param host name of its machine
 * @param process number of its process
 * @param gpu in words
 */
record Place(String host, long process, String gpu) {}
