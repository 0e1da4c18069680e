// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import org.junit.jupiter.api.Tag;

/** Memory and events of one process in another one, on the machine's first GPU. */
@Tag("gpu")
class SharingGpuTest extends SharingBehaviour {}
