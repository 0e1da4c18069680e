// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.verbs.device.Gid;
import picocli.CommandLine.Option;

/** Queue pairs, the depth of their queues, and how they are used. */
public final class QueueOptions {
    private static final int DEFAULT_RECEIVE_DEPTH = 512;

    /** What is not sent again needs room for all of it, as far as that goes: as in the C tools. */
    private static final int RECEIVE_DEPTH_WHERE_LOST = 16_000;

    @Option(
            names = {"-c", "--connection"},
            paramLabel = "<type>",
            description = "Connection type: RC, UC, UD or XRC, as far as the verb allows (default RC).")
    private String connection = ConnectionType.RC.name();

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
            names = {"-r", "--rx-depth"},
            paramLabel = "<dep>",
            description = "Size of rx queue, with --use-srq of the shared one (default 512; 16000 for UC and UD).")
    @Within(least = 1, most = 16_384)
    @OnlyFor(ToolSet.SEND)
    private Integer receiveDepth;

    @Option(names = "--use-srq", description = "Use a shared receive queue.")
    @OnlyFor(ToolSet.SEND)
    private boolean sharedReceiveQueue;

    @Option(
            names = {"-g", "--mcg"},
            description = "Send messages to multicast group with 1 QP attached to it (UD).")
    @OnlyFor(ToolSet.SEND)
    private boolean multicast;

    @Option(
            names = {"-M", "--MGID"},
            paramLabel = "<gid>",
            description = "In multicast, use this as the group: 16 numbers with colons between.")
    @OnlyFor(ToolSet.SEND)
    private String multicastGroup;

    @Option(
            names = "--recv_post_list",
            paramLabel = "<num>",
            description = "Post so many receives in one call (default 1).")
    @Within(least = 1, most = 16_384)
    @OnlyFor({ToolSet.SEND, ToolSet.BANDWIDTH})
    private int receiveList = 1;

    @Option(
            names = {"-e", "--events"},
            description = "Sleep on CQ events (default poll).")
    @OnlyFor(ToolSet.NOT_WRITE)
    private boolean events;

    @Option(
            names = {"-X", "--vector"},
            paramLabel = "<vector>",
            description = "Completion vector used for events (default 0).")
    @Within(least = 0, most = 65_535)
    @OnlyFor(ToolSet.NOT_WRITE)
    private Integer completionVector;

    @Option(
            names = {"-I", "--inline_size"},
            paramLabel = "<size>",
            description = "Send messages up to this size inline.")
    @Within(least = 0, most = 912)
    @OnlyFor(ToolSet.WRITE_OR_SEND)
    private Integer inlineSize;

    @Option(
            names = {"-Q", "--cq-mod"},
            paramLabel = "<num>",
            description = "One completion for this many messages (default 100; 1 above 8 KiB, unless -a).")
    @Within(least = 1, most = 1024)
    @OnlyFor(value = ToolSet.BANDWIDTH, ignoredElsewhere = true)
    private Integer completionModeration;

    @Option(
            names = {"-o", "--outs"},
            paramLabel = "<num>",
            description = "Number of outstanding reads or atomics per queue pair (default: the device's maximum).")
    @Within(least = 1, most = 255)
    @OnlyFor(ToolSet.READ_OR_ATOMIC)
    private Integer outstandingReads;

    @Option(
            names = {"-l", "--post_list"},
            paramLabel = "<num>",
            description = "Post this many messages with one call (default 1).")
    @Within(least = 1, most = 256)
    @OnlyFor(ToolSet.BANDWIDTH)
    private int postList = 1;

    @Option(
            names = "--use_old_post_send",
            description = "Post by ibv_post_send and not by ibv_wr_...: what is done in any case.")
    private boolean oldPostSend;

    /** Number of queue pairs. */
    public int queuePairs() {
        return queuePairs;
    }

    /** The service that the queue pairs give. */
    ConnectionType connection(Tool tool) {
        // As in the C tools, -g is stronger than -c.
        return multicast ? ConnectionType.UD : ConnectionType.of(connection, tool.verb());
    }

    /** Whether all queue pairs take their receives from one queue. */
    boolean sharedReceiveQueue() {
        return sharedReceiveQueue;
    }

    /** Receives that can be posted, per queue pair or to the shared queue. */
    int receiveDepth(boolean mayLose) {
        return receiveDepth != null ? receiveDepth : mayLose ? RECEIVE_DEPTH_WHERE_LOST : DEFAULT_RECEIVE_DEPTH;
    }

    /** Whether messages go to a multicast group. */
    public boolean multicast() {
        return multicast;
    }

    /** The group to which this side attaches. */
    Gid multicastGroup(boolean server) {
        return multicastGroup == null ? MulticastGroup.of(server) : MulticastGroup.parse(multicastGroup);
    }

    /** Receives that are posted in one call. */
    public int receiveList() {
        return receiveList;
    }

    /** Whether to sleep until completions are announced, not to poll all the time. */
    public boolean events() {
        return events;
    }

    /** The completion vector whose interrupt announces them. */
    public int completionVector() {
        return completionVector != null ? completionVector : 0;
    }

    /** Messages up to so many bytes are sent inline; -1 for the default. */
    public int inlineSize() {
        return inlineSize != null ? inlineSize : -1;
    }

    /** Reads and atomics that may be under way per queue pair; 0 for as many as the device can. */
    public int outstandingReads() {
        return outstandingReads != null ? outstandingReads : 0;
    }

    /** Messages of one post. */
    public int postList() {
        return postList;
    }

    /** Most messages under way per queue pair, as far as the queue goes. */
    int transmitDepth(Tool tool) {
        return transmitDepth != null ? transmitDepth : tool.defaultTransmitDepth();
    }

    /** One completion for so many messages; null for the default. */
    Integer completionModeration() {
        return completionModeration;
    }

    void check(Tool tool, Adjustments adjustments) {
        connection(tool);
        IllegalParameterException.when(
                completionVector != null && !events, "-X/--vector is for events: give -e/--events");
        adjustments.when(
                multicastGroup != null && !multicast, "-M/--MGID has no effect without -g/--mcg: no group is joined");
        IllegalParameterException.when(multicast && queuePairs > 1, "-g/--mcg takes one queue pair: leave out -q/--qp");
        int depth = transmitDepth(tool);
        if (adjustments.when(
                postList > depth,
                "-t/--tx-depth: " + depth + " becomes " + postList + ", the messages of a list (-l/--post_list)")) {
            depth = postList;
            transmitDepth = postList;
        }
        if (adjustments.when(
                completionModeration != null && completionModeration > depth,
                "-Q/--cq-mod: " + completionModeration + " becomes " + depth
                        + ", the transmit depth (-t/--tx-depth)")) {
            completionModeration = depth;
        }
        IllegalParameterException.when(
                postList > 1 && completionModeration != null && postList % completionModeration != 0,
                "-l/--post_list: " + postList + " is not allowed; a multiple of " + completionModeration
                        + ", the messages per completion (-Q/--cq-mod)");
    }
}
