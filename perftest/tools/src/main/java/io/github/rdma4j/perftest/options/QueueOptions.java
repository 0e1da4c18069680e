// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.verbs.device.Gid;

/** Queue pairs, the depth of their queues, and how they are used. */
public final class QueueOptions {
    private static final int DEFAULT_RECEIVE_DEPTH = 512;
    private static final int DEFAULT_POLL_BATCH = 16;

    /** Messages that are not retransmitted need a receive for each of them, as far as possible; as in the C tools. */
    private static final int RECEIVE_DEPTH_WHERE_LOST = 16_000;

    private String connection;
    private int queuePairs;
    private Integer transmitDepth;
    private Integer receiveDepth;
    private boolean sharedReceiveQueue;
    private boolean multicast;
    private String multicastGroup;
    private int receiveList;
    private boolean events;
    private Integer completionVector;
    private Integer inlineSize;
    private Integer completionModeration;
    private Integer outstandingReads;
    private int postList;
    private boolean oldPostSend;
    private Integer pollBatch;
    private boolean fixedPollBatch;
    private Integer inlineReceive;
    private boolean lockFree;

    void declare(OptionList options) {
        options.value(String.class, "-c", "--connection")
                .label("<" + ConnectionType.list(options.tool().verb(), "/") + ">")
                .description("Connection type: RC, XRC, UC, UD or SRD, as far as the verb allows (default RC).")
                .initially(ConnectionType.RC.name())
                .into(value -> connection = value);
        options.number("-q", "--qp")
                .label("<num>")
                .within(1, 16384)
                .onlyFor(ToolSet.BANDWIDTH)
                .description("Number of queue pairs (default 1).")
                .initially(1)
                .into(value -> queuePairs = value);
        options.number("-t", "--tx-depth")
                .label("<dep>")
                .within(1, 15_000)
                .description("Size of tx queue (default " + options.tool().defaultTransmitDepth() + ").")
                .into(value -> transmitDepth = value);
        options.number("-r", "--rx-depth")
                .label("<dep>")
                .within(1, 16_384)
                .onlyFor(ToolSet.WRITE_OR_SEND)
                .description("Size of rx queue, or of the shared queue with --use-srq (default 512; 16000 for UC and"
                        + " UD); of the write tools, with --write_with_imm.")
                .into(value -> receiveDepth = value);
        options.flag("--use-srq")
                .onlyFor(ToolSet.SEND)
                .description("Use a shared receive queue.")
                .into(value -> sharedReceiveQueue = value);
        options.flag("-g", "--mcg")
                .onlyFor(ToolSet.SEND)
                .description("Send messages to multicast group with 1 QP attached to it (UD).")
                .into(value -> multicast = value);
        options.value(String.class, "-M", "--MGID")
                .label("<gid>")
                .onlyFor(ToolSet.SEND)
                .ignoredElsewhere()
                .description("In multicast, use this group: 16 numbers, separated by colons.")
                .into(value -> multicastGroup = value);
        options.number("--recv_post_list")
                .label("<num>")
                .within(1, 16_384)
                .onlyFor(ToolSet.SEND, ToolSet.BANDWIDTH)
                .ignoredElsewhere()
                .description("Post this many receives with one call (default 1).")
                .initially(1)
                .into(value -> receiveList = value);
        options.flag("-e", "--events")
                .onlyFor(ToolSet.NOT_WRITE)
                .description("Sleep on CQ events (default poll).")
                .into(value -> events = value);
        options.number("-X", "--vector")
                .label("<vector>")
                .within(0, 65_535)
                .onlyFor(ToolSet.NOT_WRITE)
                .description("Completion vector used for events (default 0).")
                .into(value -> completionVector = value);
        options.number("-I", "--inline_size")
                .label("<size>")
                .within(0, 1024)
                .onlyFor(ToolSet.WRITE_OR_SEND)
                .description("Send messages up to this size inline.")
                .into(value -> inlineSize = value);
        options.number("-Q", "--cq-mod")
                .label("<num>")
                .within(1, 1024)
                .onlyFor(ToolSet.BANDWIDTH)
                .ignoredElsewhere()
                .description("One completion for this many messages (default 100; 1 above 8 KiB, unless -a).")
                .into(value -> completionModeration = value);
        options.number("-o", "--outs")
                .label("<num>")
                .within(1, 255)
                .onlyFor(ToolSet.READ_OR_ATOMIC)
                .description("Number of outstanding reads or atomics per queue pair (default: the device's maximum).")
                .into(value -> outstandingReads = value);
        options.number("-l", "--post_list")
                .label("<num>")
                .within(1, 256)
                .onlyFor(ToolSet.BANDWIDTH)
                .description("Post this many messages with one call (default 1).")
                .initially(1)
                .into(value -> postList = value);
        options.flag("--use_old_post_send")
                .description("No effect: the tools post with ibv_post_send, and SRD has only ibv_wr_....")
                .into(value -> oldPostSend = value);
        options.number("--cqe_poll")
                .label("<num>")
                .within(1, 65_535)
                .description("Take up to this many completions with one poll (default 16; the latency tools 1).")
                .into(value -> pollBatch = value);
        options.flag("--disable_dynamic_polling")
                .onlyFor(ToolSet.BANDWIDTH)
                .ignoredElsewhere()
                .description("No effect: the number of completions per poll never adapts.")
                .into(value -> fixedPollBatch = value);
        options.flag("--no_lock")
                .description("Create the queues in a thread domain, if the device has one, so that the adapter's"
                        + " library takes no locks.")
                .into(value -> lockFree = value);
        options.number("--inline_recv")
                .label("<size>")
                .within(0, Integer.MAX_VALUE)
                .onlyFor(ToolSet.NOT_WRITE)
                .ignoredElsewhere()
                .description("No effect, as in C 4.5, which reads and ignores it.")
                .into(value -> inlineReceive = value);
    }

    /** Number of queue pairs. */
    public int queuePairs() {
        return queuePairs;
    }

    /** Returns the transport service of the queue pairs. */
    ConnectionType connection(Tool tool) {
        // As in the C tools, -g overrides -c.
        return multicast ? ConnectionType.UD : ConnectionType.of(connection, tool.verb());
    }

    /** Returns whether all queue pairs take their receives from one queue. */
    boolean sharedReceiveQueue() {
        return sharedReceiveQueue;
    }

    /** Receives that can be posted, per queue pair or to the shared queue. */
    int receiveDepth(boolean mayLose) {
        return receiveDepth != null ? receiveDepth : mayLose ? RECEIVE_DEPTH_WHERE_LOST : DEFAULT_RECEIVE_DEPTH;
    }

    /** Returns whether messages go to a multicast group. */
    public boolean multicast() {
        return multicast;
    }

    /** Returns the group to which this side attaches. */
    Gid multicastGroup(boolean server) {
        return multicastGroup == null ? MulticastGroup.of(server) : MulticastGroup.parse(multicastGroup);
    }

    /** Receives that are posted in one call. */
    public int receiveList() {
        return receiveList;
    }

    /** Returns whether to sleep until completions are announced, not to poll all the time. */
    public boolean events() {
        return events;
    }

    /** The completion vector whose interrupt announces them. */
    public int completionVector() {
        return completionVector != null ? completionVector : 0;
    }

    /** Returns the largest size in bytes of a message that is sent inline; -1 for the default. */
    public int inlineSize() {
        return inlineSize != null ? inlineSize : -1;
    }

    /** Returns the most reads and atomics in flight per queue pair; 0 for the device's maximum. */
    public int outstandingReads() {
        return outstandingReads != null ? outstandingReads : 0;
    }

    /** Messages of one post. */
    public int postList() {
        return postList;
    }

    /** Returns whether all queues are in a thread domain, for which the adapter's library takes no locks. */
    public boolean lockFree() {
        return lockFree;
    }

    /** Returns whether a number of completions per poll was requested. */
    public boolean hasPollBatch() {
        return pollBatch != null;
    }

    /** Returns the most completions that a bandwidth tool polls at once. */
    public int pollBatch() {
        return pollBatch != null ? pollBatch : DEFAULT_POLL_BATCH;
    }

    /** Returns the most messages in flight per queue pair, as far as the queue permits. */
    int transmitDepth(Tool tool) {
        return transmitDepth != null ? transmitDepth : tool.defaultTransmitDepth();
    }

    /** Returns how many messages share a completion; null for the default. */
    Integer completionModeration() {
        return completionModeration;
    }

    void check(Tool tool, boolean receives, Adjustments adjustments) {
        connection(tool);
        adjustments.when(
                receiveDepth != null && !receives,
                "-r/--rx-depth has no effect without --write_with_imm: plain writes need no receives");
        adjustments.when(inlineReceive != null, "--inline_recv has no effect, as in C 4.5: it is read and not used");
        if (adjustments.when(
                pollBatch != null && tool.isLatency(),
                "--cqe_poll has no effect here, as in C: a latency tool takes one completion at a time")) {
            pollBatch = null;
        }
        IllegalParameterException.when(
                completionVector != null && !events, "-X/--vector is for events: give -e/--events");
        adjustments.when(
                multicastGroup != null && !multicast, "-M/--MGID has no effect without -g/--mcg: no group is joined");
        boolean srd = connection(tool) == ConnectionType.SRD;
        IllegalParameterException.when(
                sharedReceiveQueue && srd, "--use-srq: SRD has no shared receive queues; leave it out");
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
        if (adjustments.when(
                completionModeration != null && completionModeration > 1 && srd,
                "-Q/--cq-mod: " + completionModeration
                        + " becomes 1, as in C: every message of SRD has a completion")) {
            completionModeration = 1;
        }
        IllegalParameterException.when(
                postList > 1 && completionModeration != null && postList % completionModeration != 0,
                "-l/--post_list: " + postList + " is not allowed; a multiple of " + completionModeration
                        + ", the messages per completion (-Q/--cq-mod)");
    }
}
