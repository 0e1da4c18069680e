// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import org.junit.jupiter.api.Tag;

/** Streams and closes that meet on the machine's first GPU. */
@Tag("gpu")
class ChannelSoundnessGpuTest extends ChannelSoundnessBehaviour {}
