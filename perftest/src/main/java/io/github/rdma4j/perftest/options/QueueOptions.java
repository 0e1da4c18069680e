// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import picocli.CommandLine.Option;

/** Queue pairs, the depth of their queues, and how they are used. */
public final class QueueOptions {
    @Option(
            names = {"-q", "--qp"},
            paramLabel = "<num>",
            description = "Number of queue pairs (default 1).")
    @Within(least = 1, most = 16384)
    @OnlyFor(ToolSet.BANDWIDTH)
    private int queuePairs = 1;

    @Option(
            names = {"-t", "--tx-depth"},
            paramLabel = "<dep>",
            description = "Size of tx queue (default ${rdma4j.default.depth}).")
    @Within(least = 1, most = 15_000)
    private Integer transmitDepth;

    @Option(
            names = {"-I", "--inline_size"},
            paramLabel = "<size>",
            description = "Send messages up to this size inline.")
    @Within(least = 0, most = 912)
    private Integer inlineSize;

    @Option(
            names = {"-Q", "--cq-mod"},
            paramLabel = "<num>",
            description = "One completion for this many messages (default 100; 1 above 8 KiB, unless -a).")
    @Within(least = 1, most = 1024)
    @OnlyFor(ToolSet.BANDWIDTH)
    private Integer completionModeration;

    /** Number of queue pairs. */
    public int queuePairs() {
        return queuePairs;
    }

    /** Messages up to so many bytes are sent inline; -1 for the default. */
    public int inlineSize() {
        return inlineSize != null ? inlineSize : -1;
    }

    /** Most messages under way per queue pair, as far as the queue goes. */
    int transmitDepth(Tool tool) {
        return transmitDepth != null ? transmitDepth : tool.defaultTransmitDepth();
    }

    /** One completion for so many messages; null for the default. */
    Integer completionModeration() {
        return completionModeration;
    }

    void check(Tool tool) {
        int depth = transmitDepth(tool);
        IllegalParameterException.when(
                completionModeration != null && completionModeration > depth,
                "-Q/--cq-mod: " + completionModeration + " is not allowed; 1 to " + depth
                        + ", the transmit depth (-t/--tx-depth), or no completion would ever come");
    }
}
