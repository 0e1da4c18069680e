// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.plan;

import io.github.rdma4j.perftest.options.RunParameters;

/**
 * The numbers of messages that are handled together.
 *
 * @param messages the most messages in flight per queue pair
 * @param moderation messages per completion, not above the first
 * @param list messages per post, a multiple of the moderation unless it is 1; not above the first
 */
public record Depth(int messages, int moderation, int list) {
    /** Returns the depth for the parameters. */
    public static Depth of(RunParameters parameters) {
        return new Depth(
                parameters.transmitDepth(),
                parameters.completionModeration(),
                parameters.queues().postList());
    }
}
