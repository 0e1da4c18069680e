// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.ordered;

import java.util.List;

/** What was found: the GPU, how its memory is reached, and the ways in the order in which they were played. */
record OrderedReport(String gpu, String device, String path, List<OrderedResult> results) {}
