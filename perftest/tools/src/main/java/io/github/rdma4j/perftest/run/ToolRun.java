// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.environment.CompilerThreads;
import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.perftest.gpu.Gpu;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Verb;
import io.github.rdma4j.perftest.placement.PortTraffic;
import io.github.rdma4j.perftest.plan.Shape;
import io.github.rdma4j.perftest.resources.CmConnections;
import io.github.rdma4j.perftest.resources.GpuMessageMemory;
import io.github.rdma4j.perftest.resources.RunDevice;
import io.github.rdma4j.perftest.resources.RunResources;
import io.github.rdma4j.perftest.result.GpuInfo;
import io.github.rdma4j.perftest.result.RunInfo;
import io.github.rdma4j.perftest.result.RunListener;
import io.github.rdma4j.perftest.result.RunOutcome;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.wire.ControlChannel;
import io.github.rdma4j.perftest.wire.ControlServer;
import io.github.rdma4j.perftest.wire.MtuExchange;
import io.github.rdma4j.perftest.wire.PeerKeys;
import io.github.rdma4j.perftest.wire.SystemData;
import io.github.rdma4j.perftest.wire.WireVersion;
import io.github.rdma4j.verbs.device.Mtu;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs one test, as client or as server, from opening the device to closing it. It can be called any number of times in
 * one JVM; only the first call warms up. It closes everything that it has opened, also on failure.
 *
 * <p>The order of steps follows the C tools, so that either side can be one of them. Parameters that the device does
 * not support are refused before the peer is contacted. The peer is contacted before the warm-up, so that both sides
 * warm up at the same time.
 */
public final class ToolRun {
    /** The user is notified if the peer has been silent for this long. */
    private static final Duration NOTICE = Duration.ofSeconds(3);

    private final RunParameters parameters;
    private final RunListener listener;
    private final Instant started = Instant.now();
    private final long begin = System.nanoTime();
    private String warmUp = "";

    /** What this side has opened and found out before it reaches the peer. */
    private record Side(
            RunDevice device,
            RunResources resources,
            SystemData machine,
            RunPlacement placement,
            ObservedRun observed) {}

    /** What both sides have agreed on, and the keys that this side then sends. */
    private record Agreement(RunInfo info, SystemData layout, Mtu mtu, List<PeerKeys> keys) {}

    private ToolRun(RunParameters parameters, RunListener listener) {
        this.parameters = parameters;
        this.listener = listener;
    }

    /**
     * Runs the test.
     *
     * @param parameters what to do
     * @param listener is notified of the steps; most calls come from this thread
     * @return what was measured
     * @throws IllegalParameterException when the device does not support the parameters
     * @throws io.github.rdma4j.perftest.exit.PerftestException when the peer or the run fails
     * @throws io.github.rdma4j.verbs.VerbsException when a verb fails
     */
    public static RunOutcome run(RunParameters parameters, RunListener listener) {
        return new ToolRun(parameters, listener).run();
    }

    /**
     * Returns the path to GPU memory that a run would take.
     *
     * @param parameters name a GPU
     * @throws IllegalParameterException when there is no such GPU
     * @throws io.github.rdma4j.perftest.exit.PerftestException when CUDA, the GPU or the path cannot be used
     */
    public static GpuInfo gpuPath(RunParameters parameters) {
        try (RunDevice device = RunDevice.open(parameters)) {
            return GpuMessageMemory.pathOf(device, parameters);
        } catch (RuntimeException failure) {
            throw Gpu.explain(failure);
        }
    }

    private RunOutcome run() {
        if (!parameters.gpu().wanted()) {
            return runOnDevice();
        }
        try {
            return runOnDevice();
        } catch (RuntimeException failure) {
            throw Gpu.explain(failure);
        }
    }

    private RunOutcome runOnDevice() {
        RunPlacement.check(parameters.placement());
        // The server listens before anything that takes time, so that a client that is started at the same time finds
        // it.
        try (ControlServer listening = parameters.isServer()
                        ? ControlServer.listen(parameters.peer().meetingPoint())
                        : null;
                RunDevice device = RunDevice.open(parameters);
                RunPlacement placement = RunPlacement.enter(parameters.placement(), device)) {
            device.adjustments().forEach(listener::note);
            if (!placement.frequencyRemark().isEmpty()) {
                listener.note(placement.frequencyRemark());
            }
            ObservedRun observed = ObservedRun.of(listener, parameters, device.deviceName());
            SystemData mine = SystemData.ofThisMachine();
            try (RunResources resources = new RunResources(
                    device, parameters, Shape.of(parameters, device.longestDatagram(device.mtu())), mine)) {
                resources.reserve();
                if (parameters.isServer()) {
                    // Warm up while no client has connected, or while the client warms up.
                    warmUp = warmUp(device, mine);
                }
                try (ControlChannel channel = reachPeer(listening);
                        CmConnections connections = parameters.peer().rdmaCm()
                                ? new CmConnections(parameters, device, channel.peerAddress())
                                : null) {
                    Side side = new Side(device, resources, mine, placement, observed);
                    return measure(side, channel, connections);
                }
            }
        }
    }

    private String warmUp(RunDevice device, SystemData mine) {
        if (!parameters.workload().warmUp()) {
            return "none (--no-warm-up)";
        }
        return parameters.sends() || parameters.receiveDepth() > 0
                ? WarmUp.once(device, parameters, mine, WarmUp.LIMIT)
                : "none, this side only receives";
    }

    private ControlChannel reachPeer(ControlServer listening) {
        if (listening == null) {
            return ControlChannel.connect(
                    parameters.peer().meetingPoint(),
                    parameters.peer().timeout(),
                    parameters.peer().preparationTimeout());
        }
        listener.waiting(listening.port());
        return listening.acceptClient(
                parameters.peer().acceptTimeout(), parameters.peer().timeout(), listener::note);
    }

    private RunOutcome measure(Side side, ControlChannel channel, CmConnections connections) {
        Agreement agreed = agree(side, channel);
        RunInfo info = agreed.info();
        listener.agreed(info);
        RunResources resources = side.resources();
        connect(resources, agreed, channel, connections);
        ConnectedRun run = connectedRun(side, agreed, channel);
        ObservedRun observed = side.observed();
        Environment environment = Environment.read(
                        side.device().context(), parameters.path().devicePort(), info.gidIndex())
                .withMemoryNode(side.placement().memoryNode());
        observed.environment(started, environment);
        observed.begin(info);
        DataValidation validation = new DataValidation(parameters, resources, agreed.layout());
        validation.prepare();
        startTogether(agreed.keys().getFirst().encode(channel), channel);
        List<SizeResult> results = run.run();
        listener.end();
        resources.absorb();
        validation.verify(results);
        RunOutcome outcome = new RunOutcome(
                info, started, (System.nanoTime() - begin) / 1e9, environment, results, observed.observations());
        listener.verified(outcome);
        pause(parameters.peer().waitAtEnd());
        return outcome;
    }

    /** Exchanges versions, the layout of messages and the MTU. A client warms up in the meantime. */
    private Agreement agree(Side side, ControlChannel channel) {
        RunDevice device = side.device();
        RunResources resources = side.resources();
        // A client sends its first message before it warms up: the peer can warm up at the same time, or wait.
        Duration patience = parameters.peer().preparationTimeout();
        WireVersion.Peer peer =
                WireVersion.exchange(channel, parameters.memory().validation(), patience, () -> {
                    if (!parameters.isServer()) {
                        warmUp = warmUp(device, side.machine());
                        reportSilence(channel, patience);
                    }
                });
        refuseRounds(peer);
        DataValidation.agree(parameters, peer);
        SystemData layout = side.machine().agree(channel, patience);
        Mtu mtu = MtuExchange.agree(channel, device.mtu());
        resources.useLayout(layout);
        RunInfo info = new RunInfo(
                parameters,
                device.deviceName(),
                device.context().device().transportType(),
                device.linkLayer(),
                resources.shape().queuePairs(),
                mtu.bytes(),
                device.gid() == null ? -1 : device.gid().index(),
                resources.inlineSize(),
                device.outstandingReads(),
                peer.number(),
                warmUp,
                side.placement().describe(),
                resources.gpu());
        return new Agreement(info, layout, mtu, resources.keys());
    }

    /** Connects the queue pairs, with the exchanges of the C tools. */
    private void connect(RunResources resources, Agreement agreed, ControlChannel channel, CmConnections connections) {
        List<PeerKeys> local = agreed.keys();
        PeerKeys first = local.getFirst();
        if (connections != null) {
            connections.listen();
            first.exchange(channel, "readiness for connections by rdma_cm");
            resources.connect(connections);
            first.exchange(channel, "end of connecting by rdma_cm");
        }
        if (parameters.tool().isLatency() && !isSendTool()) {
            first.exchange(channel, "handshake");
        }
        List<PeerKeys> remote = new ArrayList<>();
        for (PeerKeys keys : local) {
            remote.add(keys.exchange(channel, "address and key"));
        }
        resources.connect(remote, agreed.mtu());
        if (isSendTool()) {
            first.exchange(channel, "end of connecting");
        }
        local.forEach(keys -> listener.address(true, keys));
        for (PeerKeys keys : local) {
            listener.address(false, keys.exchange(channel, "confirmation"));
        }
    }

    private boolean isSendTool() {
        return parameters.tool().verb() == Verb.SEND;
    }

    private ConnectedRun connectedRun(Side side, Agreement agreed, ControlChannel channel) {
        PortTraffic traffic =
                new PortTraffic(side.device().deviceName(), parameters.path().devicePort());
        RunParts parts = new RunParts(
                parameters,
                side.resources(),
                channel,
                new PassiveWait(channel, traffic::received, traffic.toString()),
                agreed.keys().getFirst(),
                agreed.layout(),
                parameters.sizes(side.device().longestDatagram(agreed.mtu())),
                side.observed());
        return switch (parameters.tool()) {
            case WRITE_LATENCY -> parameters.usesReceives() ? new SendLatencyRun(parts) : new LatencyRun(parts);
            case READ_LATENCY, ATOMIC_LATENCY -> new RequestLatencyRun(parts);
            case SEND_LATENCY -> new SendLatencyRun(parts);
            case SEND_BANDWIDTH -> new SendBandwidthRun(parts);
            case WRITE_BANDWIDTH, READ_BANDWIDTH, ATOMIC_BANDWIDTH ->
                parameters.usesReceives() ? new SendBandwidthRun(parts) : new BandwidthRun(parts);
        };
    }

    /** Waits for the compiler, and then for the peer. */
    private void startTogether(byte[] startSignal, ControlChannel channel) {
        if (parameters.workload().warmUp() && parameters.sends()) {
            // The peer waits for our signal, so that nothing is measured while we wait here.
            new CompilerThreads().awaitIdle(Duration.ofSeconds(2));
        }
        if (!isSendTool()) {
            // The send tools have one before each size, when the receives are posted.
            channel.exchange(startSignal, "start signal");
        }
    }

    /**
     * Adds a note if the peer accepts the connection and then sends nothing. It may be a server that is still
     * preparing, or another program; the user can find out which.
     */
    private void reportSilence(ControlChannel channel, Duration patience) {
        if (patience.compareTo(NOTICE) > 0 && !channel.awaitNews(NOTICE)) {
            listener.note("connected to " + channel.peer() + ", which has said nothing yet: waiting for it, "
                    + patience.toSeconds()
                    + " s at most; see that it is the server of this test, and not another program");
        }
    }

    /** Waits until the time has passed or the thread is interrupted. */
    private static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Refuses several rounds with a C tool if the sides synchronize before each round: the C tool runs only one. */
    private void refuseRounds(WireVersion.Peer peer) {
        boolean synchronizes = parameters.workload().bidirectional()
                || parameters.tool().verb() == Verb.SEND && !parameters.tool().isLatency();
        if (parameters.figures().rounds() > 1 && synchronizes && !peer.rdma4j()) {
            throw new RunFailedException(
                    "--rounds: the peer is one of the C tools, which run once where both sides take part in a round",
                    "leave out --rounds, or start the test several times");
        }
    }
}
