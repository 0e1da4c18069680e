// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.share;

import io.github.rdma4j.gpudirect.Bar1Memory;
import io.github.rdma4j.perftest.doctor.machine.AdapterInventory;
import io.github.rdma4j.perftest.doctor.machine.DoctorSources;
import io.github.rdma4j.perftest.doctor.machine.GpuInventory;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.Problem;
import io.github.rdma4j.perftest.options.Verb;
import io.github.rdma4j.perftest.predict.machine.MachineFileException;
import io.github.rdma4j.perftest.predict.machine.MachineReader;
import io.github.rdma4j.perftest.predict.model.Adapter;
import io.github.rdma4j.perftest.predict.model.DataPath;
import io.github.rdma4j.perftest.predict.model.LinkType;
import io.github.rdma4j.perftest.predict.model.MachineModel;
import io.github.rdma4j.perftest.predict.model.NetworkLink;
import io.github.rdma4j.perftest.predict.model.PathKind;
import io.github.rdma4j.perftest.predict.model.Paths;
import io.github.rdma4j.perftest.predict.model.PciExpress;
import io.github.rdma4j.perftest.result.BandwidthResult;
import io.github.rdma4j.perftest.result.LimitListener;
import io.github.rdma4j.perftest.result.PathLimit;
import io.github.rdma4j.perftest.result.RunInfo;
import io.github.rdma4j.perftest.result.SizeResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Prints at the end of a bandwidth test the share of the data path's limit that was reached, and why it is low. Prints
 * nothing if the kernel does not show the links, as for software devices and in many virtual machines.
 */
public final class ShareOfLimit implements LimitListener {
    private static final double GOOD = 0.9;
    private static final double GIGA = 1e9;
    private static final String STAGED = "staged";

    private final Path root;
    private final Consumer<String> note;
    private RunInfo info;
    private Optional<DataPath> path = Optional.empty();
    private Optional<PathLimit> limit = Optional.empty();
    private BandwidthResult best;

    /**
     * @param root the folder that contains {@code sys}
     * @param note receives the line
     */
    public ShareOfLimit(Path root, Consumer<String> note) {
        this.root = root;
        this.note = note;
    }

    @Override
    public Optional<PathLimit> limit() {
        return limit;
    }

    @Override
    public void begin(RunInfo test) {
        info = test;
        Optional<MachineModel> machine = hasOneDirection(test) ? read(test) : Optional.empty();
        path = machine.flatMap(found -> Paths.of(found, kind(test)));
        limit = path.map(found -> new PathLimit(found.limit(), link(found, machine.get())));
    }

    /** The model does not describe how bidirectional traffic shares its links. */
    private static boolean hasOneDirection(RunInfo test) {
        return !test.parameters().tool().isLatency()
                && test.parameters().tool().verb() != Verb.ATOMIC
                && !test.parameters().workload().bidirectional();
    }

    private static PathKind kind(RunInfo test) {
        if (test.gpu() == null) {
            return PathKind.HOST;
        }
        return test.gpu().path().equals(STAGED) ? PathKind.STAGED : PathKind.GPUDIRECT;
    }

    private Optional<MachineModel> read(RunInfo test) {
        if (!Files.exists(root.resolve("sys/class/infiniband/" + test.device() + "/device"))) {
            // A software device: the machine need not be read.
            return Optional.empty();
        }
        // The test has already queried libibverbs.
        DoctorSources files = new DoctorSources(
                root,
                Runtime.version(),
                _ -> true,
                () -> new AdapterInventory(Optional.empty(), List.of()),
                Optional::empty,
                _ -> {
                    throw new IllegalStateException("nobody asks for flow control here");
                },
                () -> GpuInventory.unavailable(new Problem("CUDA was not asked", "")),
                _ -> Bar1Memory.unknown("NVML was not asked"));
        try {
            MachineModel machine = MachineReader.read(
                    new Machine(files),
                    Optional.of(test.device() + "/" + test.parameters().path().devicePort()));
            if (test.gpu() != null
                    && machine.gpu()
                            .filter(gpu -> test.gpu().gpu().contains(gpu.address()))
                            .isEmpty()) {
                // This is not the nearest GPU, so its path is not the one that was read.
                return Optional.empty();
            }
            Adapter read = machine.adapter();
            // Packets of iWARP follow the interface's MTU, which the test does not know.
            NetworkLink network = read.network().type() == LinkType.IWARP
                    ? read.network()
                    : new NetworkLink(read.network().type(), read.network().gigabits(), test.mtu());
            return Optional.of(machine.with(new Adapter(
                    read.name(),
                    network,
                    read.pci(),
                    read.latency(),
                    read.message(),
                    read.packet(),
                    read.kibibyte(),
                    read.processor())));
        } catch (MachineFileException | IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    private static String link(DataPath path, MachineModel machine) {
        String name = path.bottleneck();
        Optional<PciExpress> pci = machine.adapter().pci();
        return pci.isPresent() && name.startsWith(pci.get().title())
                ? pci.get().title() + " behind " + pci.get().maxPayload() + "-byte payloads"
                : name.replaceFirst(", to the receiver$", "");
    }

    @Override
    public void result(SizeResult result) {
        if (result instanceof BandwidthResult bandwidth && (best == null || perSecond(bandwidth) > perSecond(best))) {
            best = bandwidth;
        }
    }

    private static double perSecond(BandwidthResult result) {
        return result.messageRate() * 1e6 * result.size();
    }

    @Override
    public void end() {
        // A limited rate says nothing about the links.
        if (best == null
                || limit.isEmpty()
                || !(perSecond(best) > 0)
                || info.parameters().rate().limited()) {
            return;
        }
        double share = perSecond(best) / limit.get().bytesPerSecond();
        note.accept(String.format(
                Locale.ROOT,
                "%d bytes: %.1f of %.1f GB/s that %s allows: %.0f %%%s",
                best.size(),
                perSecond(best) / GIGA,
                limit.get().bytesPerSecond() / GIGA,
                limit.get().link(),
                share * 100,
                share < GOOD ? ". " + why() : ""));
    }

    private String why() {
        DataPath.Expectation expected =
                path.orElseThrow().expect(best.size(), info.parameters().transmitDepth());
        if (expected.bandwidth() < GOOD * limit.orElseThrow().bytesPerSecond()) {
            String cause = switch (expected.bound()) {
                case DataPath.MESSAGES ->
                    "each message takes the sender some time, whatever its size: send larger ones";
                case DataPath.DEPTH -> "too few are on their way at once: raise --tx-depth";
                default -> "headers take more of small messages: send larger ones";
            };
            return "Messages of this size should reach "
                    + String.format(Locale.ROOT, "%.1f", expected.bandwidth() / GIGA) + " GB/s: " + cause;
        }
        return "The links allow more: more queue pairs (-q) may reach it; rdma4j doctor looks for a far NUMA node, a"
                + " narrow link and congestion, and the other end's links may be slower";
    }
}
