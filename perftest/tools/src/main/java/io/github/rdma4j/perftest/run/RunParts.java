// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.resources.RunResources;
import io.github.rdma4j.perftest.result.RunListener;
import io.github.rdma4j.perftest.wire.ControlChannel;
import io.github.rdma4j.perftest.wire.PeerKeys;
import io.github.rdma4j.perftest.wire.SystemData;

/**
 * The parts of a test whose sides are connected, as its {@link ConnectedRun} needs them.
 *
 * @param passive how a side that only receives waits
 * @param handshake the message that both sides exchange to synchronize
 * @param layout agreed page and cache line
 * @param sizes the message sizes, in order
 */
record RunParts(
        RunParameters parameters,
        RunResources resources,
        ControlChannel channel,
        PassiveWait passive,
        PeerKeys handshake,
        SystemData layout,
        long[] sizes,
        RunListener listener) {}
