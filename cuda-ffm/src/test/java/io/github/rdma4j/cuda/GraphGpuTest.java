// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import org.junit.jupiter.api.Tag;

/** Batches and graphs, on the machine's first GPU. */
@Tag("gpu")
class GraphGpuTest extends GraphBehaviour {}
