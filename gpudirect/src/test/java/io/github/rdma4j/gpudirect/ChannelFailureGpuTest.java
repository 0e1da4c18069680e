// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import org.junit.jupiter.api.Tag;

/** Transfers that fail between memory of the machine's first GPU and another. */
@Tag("gpu")
class ChannelFailureGpuTest extends ChannelFailureBehaviour {}
