// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.verbs.device.Gid;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The parameters of one side of a test: the options of the command line in groups, and values derived from several of
 * them. {@link #parse} creates it, and it is immutable.
 */
public final class RunParameters {
    /** The largest message of a run over all sizes. */
    public static final long LARGEST_OF_ALL = 1L << 23;

    /** More bytes than these have a completion each. */
    private static final long MODERATION_SIZE_LIMIT = 8192;

    private static final int DEFAULT_MODERATION = 100;

    private final Tool tool;

    private final Adjustments adjustments = new Adjustments();

    private final PeerOptions peer = new PeerOptions();
    private final PathOptions path = new PathOptions();
    private final QueueOptions queues = new QueueOptions();
    private final WorkloadOptions workload = new WorkloadOptions();
    private final RateOptions rate = new RateOptions();
    private final MemoryOptions memory = new MemoryOptions();
    private final GpuOptions gpu = new GpuOptions();
    private final FigureOptions figures = new FigureOptions();
    private final PlacementOptions placement = new PlacementOptions();

    RunParameters(Tool tool) {
        this.tool = tool;
    }

    void declare(OptionList options) {
        peer.declare(options);
        path.declare(options);
        queues.declare(options);
        workload.declare(options);
        rate.declare(options);
        memory.declare(options);
        gpu.declare(options);
        figures.declare(options);
        placement.declare(options);
    }

    /**
     * Parses a command line, and applies all rules that need no device.
     *
     * @param tool the tool
     * @param arguments the arguments after the tool's name
     * @throws IllegalParameterException when they are invalid
     */
    public static RunParameters parse(Tool tool, List<String> arguments) {
        ToolCommandLine line = new ToolCommandLine(tool);
        line.parse(arguments);
        return line.parameters();
    }

    /** Parses a command line from arguments. */
    public static RunParameters parse(Tool tool, String... arguments) {
        return parse(tool, List.of(arguments));
    }

    void check() {
        // A timed run has no number of messages, on which other checks depend.
        workload.check(isServer(), adjustments);
        peer.check(path, connection(), workload.reversed(), adjustments);
        queues.check(tool, usesReceives(), adjustments);
        IllegalParameterException.when(
                !isTimed() && iterations() % queues.postList() != 0,
                () -> "-n/--iters: " + iterations() + " is not allowed; a multiple of " + queues.postList()
                        + ", the messages of a list (-l/--post_list)");
        IllegalParameterException.when(
                workload.withImmediate() && (rate.limited() || memory.validation() || workload.reversed()),
                "--write_with_imm: not with --rate_limit, --data_validation or --reversed, which are for plain writes");
        IllegalParameterException.when(
                workload.unsolicited() && connection() != ConnectionType.SRD,
                "--unsolicited_write is only for SRD: give -c SRD");
        IllegalParameterException.when(
                workload.unsolicited() && !workload.withImmediate(),
                "--unsolicited_write is only for writes with immediate data: give --write_with_imm");
        rate.check(queues.postList(), queues.events(), adjustments);
        memory.check(tool, workload, adjustments);
        workload.checkPace(peer.timeout(), adjustments);
        checkBursts();
        gpu.check(memory, queues.inlineSize(), workload.allSizes() ? 2 : size());
        checkCombinations();
        figures.check(tool, workload, adjustments);
        placement.check(workload, adjustments);
    }

    /** Messages that share a completion may be in several bursts, and each burst may go to another queue pair. */
    private void checkBursts() {
        if (rate.limited()) {
            int bursts = Math.ceilDiv(queues.queuePairs() * completionModeration(), burst());
            WorkloadOptions.checkPause(
                    "--rate_limit",
                    bursts * burst() / rate.messagesPerSecond(size()),
                    "completions",
                    peer.timeout(),
                    "a smaller --burst_size and -Q, or ");
        }
    }

    private void checkCombinations() {
        IllegalParameterException.when(
                queues.events() && isTimed(), "-D/--duration and -e/--events exclude each other, as in the C tools");
        IllegalParameterException.when(
                queues.multicast() && workload.bidirectional(), "-g/--mcg goes one way: leave out -b/--bidirectional");
        IllegalParameterException.when(
                queues.multicast() && peer.rdmaCm(), "-g/--mcg and -R/--rdma_cm exclude each other, as in the C tools");
        if (queues.multicast()) {
            multicastGroup();
        }
        IllegalParameterException.when(
                tool.verb() == Verb.SEND && memory.validation() && connection().mayLose(),
                () -> "--data_validation is not for " + connection()
                        + " here: a message that is lost moves all later ones to other places");
        IllegalParameterException.when(
                memory.validation() && connection() == ConnectionType.SRD && (tool.verb() == Verb.SEND || isPingPong()),
                "--data_validation is not for SRD here: messages and their parts arrive in any order");
        IllegalParameterException.when(
                memory.onDemand() && connection() == ConnectionType.SRD,
                "--odp: SRD has no on-demand paging; leave it out");
        IllegalParameterException.when(
                tool.verb() == Verb.SEND && memory.validation() && sharesReceiveQueue() && queues.queuePairs() > 1,
                "--data_validation and --use-srq: which queue pair's message comes into which place is open; leave out"
                        + " -q/--qp");
        int list = queues.receiveList();
        IllegalParameterException.when(
                list > 1 && !isTimed() && iterations() % list != 0,
                () -> "--recv_post_list: " + list + " is not allowed; -n/--iters, " + iterations()
                        + ", must be a multiple of it");
        if (tool.verb() == Verb.SEND) {
            int share = sharesReceiveQueue() ? receiveDepthAsked() / queuePairs() : receiveDepthAsked();
            IllegalParameterException.when(
                    share < list,
                    () -> "-r/--rx-depth: " + receiveDepthAsked() + " is too small; at least "
                            + list * (sharesReceiveQueue() ? queuePairs() : 1)
                            + (sharesReceiveQueue() ? ", for each queue pair takes its part of the shared queue" : "")
                            + (list > 1 ? " with --recv_post_list " + list : ""));
        }
    }

    /** Returns the number of queue pairs of a side: if both sides send, XRC needs two where other types need one. */
    private int queuePairs() {
        return queues.queuePairs() * (connection() == ConnectionType.XRC && bothWays() ? 2 : 1);
    }

    /** Returns one line for each deviation from the command line; empty without deviations. */
    public List<String> adjustments() {
        return adjustments.lines();
    }

    Adjustments adjusting() {
        return adjustments;
    }

    /** Returns the tool. */
    public Tool tool() {
        return tool;
    }

    /** Returns the options about the other side. */
    public PeerOptions peer() {
        return peer;
    }

    /** The device and the path. */
    public PathOptions path() {
        return path;
    }

    /** Queue pairs and their use. */
    public QueueOptions queues() {
        return queues;
    }

    /** Returns the options about messages. */
    public WorkloadOptions workload() {
        return workload;
    }

    /** Returns the rate limit. */
    public RateOptions rate() {
        return rate;
    }

    /** The memory. */
    public MemoryOptions memory() {
        return memory;
    }

    /** Returns the options of GPU memory. */
    public GpuOptions gpu() {
        return gpu;
    }

    /** Returns the options about figures. */
    public FigureOptions figures() {
        return figures;
    }

    /** Threads and memory on the machine. */
    public PlacementOptions placement() {
        return placement;
    }

    /** Returns whether this side is the server, which listens. */
    public boolean isServer() {
        return peer.server() == null;
    }

    /** Returns whether this side does in the run what servers do: the server, unless the direction is reversed. */
    public boolean playsServer() {
        return isServer() != workload.reversed();
    }

    /** Messages of a burst at a limited rate: whole lists. */
    public int burst() {
        int list = queues.postList();
        return rate.burst() > 0 ? rate.burst() : transmitDepth() / list * list;
    }

    /** Returns whether the run is limited by time, not by a number of messages. */
    public boolean isTimed() {
        return workload.durationSeconds() > 0;
    }

    /**
     * Returns whether this side sends requests in the measured run: where the other side only serves them, the server
     * does not.
     */
    public boolean sends() {
        return isPingPong() || workload.bidirectional() || !playsServer();
    }

    /**
     * Returns whether each message is answered by a message of the other side, so that a latency is half a round trip.
     */
    public boolean isPingPong() {
        return tool.isLatency() && (tool.verb() == Verb.WRITE || tool.verb() == Verb.SEND);
    }

    /** Returns whether this side receives in the measured run. Only the client of a one-way bandwidth test does not. */
    public boolean receives() {
        return bothWays() || playsServer();
    }

    /** Message size in bytes; with all sizes, the largest. */
    public long size() {
        return workload.size(tool);
    }

    /** The sizes to run, in order. */
    public long[] sizes() {
        return workload.allSizes()
                ? LongStream.iterate(2, bytes -> bytes <= LARGEST_OF_ALL, bytes -> bytes * 2)
                        .toArray()
                : new long[] {size()};
    }

    /**
     * Returns the sizes to run over a path, in order.
     *
     * @param longest the longest datagram, in bytes; without meaning for connections
     * @throws IllegalParameterException when a larger datagram is requested
     */
    public long[] sizes(long longest) {
        if (!connection().isDatagram()) {
            return sizes();
        }
        IllegalParameterException.when(
                workload.hasSize() && size() > longest,
                () -> "-s/--size: " + size() + " is too large for " + connection() + "; at most " + longest
                        + " bytes, which is the "
                        + (connection() == ConnectionType.UD ? "MTU of the path" : "limit of the adapter"));
        return workload.allSizes()
                ? LongStream.of(sizes()).filter(bytes -> bytes <= longest).toArray()
                : new long[] {Math.min(size(), longest)};
    }

    /** Returns the multicast group to which this side attaches; null without one. */
    public Gid multicastGroup() {
        return queues.multicast() ? queues.multicastGroup(isServer()) : null;
    }

    /** Returns the transport service of the queue pairs. */
    public ConnectionType connection() {
        return queues.connection(tool);
    }

    /** Returns whether receives are taken from a queue that all queue pairs share, as XRC has no others. */
    public boolean sharesReceiveQueue() {
        return queues.sharedReceiveQueue() || connection() == ConnectionType.XRC;
    }

    /** Returns whether each side both sends and receives through its own queue pairs. */
    public boolean bothWays() {
        return tool.isLatency() || workload.bidirectional();
    }

    /** Returns whether each message completes a receive of the peer. */
    public boolean usesReceives() {
        return tool.verb() == Verb.SEND || workload.withImmediate();
    }

    /**
     * Receives that can be posted on a side that is sent to, per queue pair or to the shared queue; 0 where none are
     * needed. Not more than there are messages.
     */
    public int receiveDepth() {
        return usesReceives() && receives() ? receiveDepthAsked() : 0;
    }

    /** Returns the requested number of receives, also on a side that only sends. */
    public int receiveDepthAsked() {
        boolean mayLose = connection().mayLose() && !isTimed();
        int depth = queues.receiveDepth(mayLose);
        // A shared queue serves all queue pairs, each of which receives this many messages.
        long most = (long) iterations() * (sharesReceiveQueue() ? queuePairs() : 1);
        return isTimed() ? depth : (int) Math.min(depth, most);
    }

    /** Messages per queue pair and size. */
    public int iterations() {
        return workload.iterations(tool);
    }

    /** Returns the most messages in flight per queue pair; at most as many as there are. */
    public int transmitDepth() {
        int depth = queues.transmitDepth(tool);
        return isTimed() ? depth : Math.min(depth, iterations());
    }

    /** Large messages have one each, so that bandwidth is counted to the last one. */
    private boolean hasCompletionEach() {
        return size() > MODERATION_SIZE_LIMIT
                && connection() != ConnectionType.UD
                && !workload.allSizes()
                && !queues.events();
    }

    /** Returns how many messages share a completion, at most as many as may be in flight. */
    public int completionModeration() {
        if (!connection().moderates()) {
            return 1;
        }
        int wanted = queues.completionModeration() != null
                ? queues.completionModeration()
                : queues.postList() > 1
                        ? queues.postList()
                        : tool.isLatency() || hasCompletionEach() ? 1 : DEFAULT_MODERATION;
        return Math.min(wanted, transmitDepth());
    }

    /**
     * Returns whether the buffer is registered with relaxed ordering, as the C tools do by default. Not if the program
     * polls the last byte of a message, which only ib_write_lat does, in C as here.
     */
    public boolean relaxedOrdering() {
        return !(tool.isLatency() && tool.verb() == Verb.WRITE) && memory.relaxedOrdering();
    }

    /**
     * Returns how long a passive side waits for the end of all of the peer's runs, whose number and length it may not
     * have; zero for no limit.
     */
    public Duration passiveTimeout() {
        Duration patience = peer.runTimeout();
        return patience.isZero() || workload.endless()
                ? Duration.ZERO
                : Duration.ofSeconds((long) workload.durationSeconds() * figures.rounds())
                        .plus(patience);
    }

    /** Longest run of one size, as seen by a side that only waits for it; zero for no limit. */
    public Duration runTimeout() {
        return isTimed() ? Duration.ofSeconds(workload.durationSeconds()).plus(peer.timeout()) : peer.runTimeout();
    }
}
