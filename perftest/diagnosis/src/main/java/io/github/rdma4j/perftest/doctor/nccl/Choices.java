// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.nccl;

import io.github.rdma4j.gpudirect.topology.PciDistance;
import io.github.rdma4j.perftest.allreduce.choice.Choice;
import io.github.rdma4j.perftest.allreduce.choice.NcclLog;
import io.github.rdma4j.perftest.doctor.machine.CheckedGpu;
import io.github.rdma4j.perftest.doctor.machine.DoctorSources;
import io.github.rdma4j.perftest.doctor.machine.GpuReader;
import io.github.rdma4j.perftest.doctor.machine.GpuReport;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.PairVerdict;
import io.github.rdma4j.perftest.doctor.machine.Support;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** NCCL's choices from a rank's log, compared with the prediction of doctor --gpu for the rank's GPU. */
public final class Choices {
    private static final String SOCKET = "Socket";
    private static final int RING = 4;
    private static final int FEW = 5;

    private final NcclLog log;
    private final GpuReport check;
    private final int device;
    private final List<Choice> choices = new ArrayList<>();

    private Choices(NcclLog log, GpuReport check, int device) {
        this.log = log;
        this.check = check;
        this.device = device;
    }

    /**
     * Compares the log with the prediction for this machine.
     *
     * @param log of the rank
     * @param device CUDA's number of the GPU
     */
    public static List<Choice> ofThisMachine(NcclLog log, int device) {
        return of(log, new GpuReader(new Machine(DoctorSources.thisMachine())).report(), device);
    }

    /**
     * Compares the log with the prediction.
     *
     * @param log of the rank
     * @param check of its machine, with its GPU
     * @param device CUDA's number of the GPU
     */
    static List<Choice> of(NcclLog log, GpuReport check, int device) {
        return new Choices(log, check, device).all();
    }

    private List<Choice> all() {
        if (!log.version().isEmpty()) {
            choices.add(Choice.unpredicted("NCCL", log.version()));
        }
        network();
        dmaBuf();
        pairs();
        links();
        graphs();
        if (!log.variables().isEmpty()) {
            choices.add(Choice.unpredicted(
                    "variables",
                    log.variables().entrySet().stream()
                            .map(each -> each.getKey() + "=" + each.getValue())
                            .collect(Collectors.joining(", "))));
        }
        log.warnings().stream().limit(FEW).forEach(text -> choices.add(Choice.unpredicted("NCCL warns", text)));
        return choices;
    }

    private Optional<CheckedGpu> gpu() {
        return check.gpus().stream().filter(each -> each.index() == device).findFirst();
    }

    private List<PairVerdict> verdicts() {
        String label = "GPU" + device;
        return check.verdicts().stream()
                .filter(each -> each.gpu().equals(label))
                .toList();
    }

    /** Returns the usable adapters, by name. */
    private List<String> usable() {
        return verdicts().stream()
                .filter(each -> each.obstacle().isEmpty())
                .map(PairVerdict::adapter)
                .toList();
    }

    private boolean isSet(String variable, String value) {
        return value.equals(log.variables().get(variable));
    }

    private void network() {
        if (log.networks().isEmpty()) {
            return;
        }
        List<String> used = log.adapters().stream().map(NcclLog.Adapter::name).toList();
        String chosen = String.join(", ", log.networks())
                + (used.isEmpty()
                        ? ""
                        : ": "
                                + log.adapters().stream()
                                        .map(each -> each.name() + " port " + each.port() + " (" + each.link() + ")")
                                        .collect(Collectors.joining(", ")));
        boolean sockets = log.networks().equals(List.of(SOCKET));
        List<String> usable = usable();
        if (isSet("NCCL_IB_DISABLE", "1") || isSet("NCCL_NET", SOCKET)) {
            choices.add(Choice.compared("network", chosen, SOCKET + ", because of a variable", sockets, "a plugin"));
        } else if (usable.isEmpty()) {
            choices.add(Choice.compared(
                    "network",
                    chosen,
                    SOCKET + ": no RDMA device can be used",
                    sockets,
                    "a plugin, or devices that libibverbs does not show to this program"));
        } else {
            List<String> left =
                    usable.stream().filter(each -> !used.contains(each)).toList();
            choices.add(Choice.compared(
                    "network",
                    chosen,
                    "RDMA: " + String.join(", ", usable),
                    !sockets,
                    "there are RDMA devices, but NCCL uses TCP: check the lines NET/IB in its log, NCCL_IB_HCA, and"
                            + " whether a port is active"));
            if (!sockets && !used.isEmpty() && !left.isEmpty()) {
                choices.add(Choice.unpredicted("adapters left out", String.join(", ", left)));
            }
        }
    }

    private void dmaBuf() {
        Optional<Support> offered =
                gpu().flatMap(CheckedGpu::facts).map(facts -> facts.dmaBuf()).filter(each -> each != Support.UNKNOWN);
        // NCCL checks adapters only if its network can use them.
        if (offered.isEmpty() || log.adapters().isEmpty()) {
            return;
        }
        boolean used = log.dmaBufs().contains(device);
        boolean expected = offered.get() == Support.YES;
        choices.add(Choice.compared(
                "dma-buf",
                used ? "available" : "not reported as available",
                expected ? "the driver offers it" : "the driver does not offer it",
                used == expected,
                used
                        ? "the driver offers it only to NCCL: NCCL uses another driver library, or gives this"
                                + " number to another GPU"
                        : "NCCL needs CUDA 11.7, a kernel with dma-bufs, ibv_reg_dmabuf_mr, and NCCL_DMABUF_ENABLE"
                                + " not 0"));
    }

    private Optional<String> adapterName(int number) {
        return log.adapters().stream()
                .filter(each -> each.number() == number)
                .map(NcclLog.Adapter::name)
                .findFirst();
    }

    private Optional<PairVerdict> verdict(String adapter) {
        return verdicts().stream()
                .filter(each -> each.adapter().equals(adapter))
                .findFirst();
    }

    private static String words(PairVerdict verdict) {
        return verdict.path().map(Object::toString).orElse("none")
                + verdict.distance().map(far -> ", " + far.label()).orElse("");
    }

    /** Returns whether NCCL means this rank's GPU, by its number or by its address. */
    private boolean isOurs(String gpu) {
        String address = gpu().map(each -> each.address().toString()).orElse("");
        String digits = address.replaceAll("[:.]", "").replaceFirst("^0+", "");
        return gpu.equals(Integer.toString(device)) || gpu.startsWith(device + "[") || gpu.equals(digits);
    }

    private void pairs() {
        Map<String, NcclLog.Pair> last = new LinkedHashMap<>();
        log.pairs().stream().filter(each -> isOurs(each.gpu())).forEach(each -> last.put(each.adapter(), each));
        last.values().forEach(this::pair);
    }

    private void pair(NcclLog.Pair pair) {
        String name = (pair.adapter().matches("\\d{1,6}")
                        ? adapterName(Integer.parseInt(pair.adapter()))
                        : Optional.<String>empty())
                .orElse("HCA " + pair.adapter());
        String subject = "GPU" + device + " with " + name;
        String chosen = (pair.direct() ? "GPUDirect RDMA" : "through host memory") + " (distance " + pair.distance()
                + ", allowed up to " + pair.limit() + ")";
        choices.add(verdict(name)
                .map(verdict -> Choice.compared(
                        subject,
                        chosen,
                        words(verdict),
                        pair.direct() == verdict.isDirect(),
                        difference(pair.direct(), verdict)))
                .orElse(Choice.unpredicted(subject, chosen)));
    }

    private static String difference(boolean direct, PairVerdict verdict) {
        if (direct) {
            return "rdma4j would not register memory for that path: "
                    + verdict.decision()
                            .map(Object::toString)
                            .orElse(verdict.obstacle().orElse(""));
        }
        return verdict.distance()
                        .filter(far -> far.compareTo(PciDistance.PXB) > 0)
                        .map(far -> "NCCL uses no direct path over this distance (" + far.label() + "), but rdma4j"
                                + " does: ")
                        .orElse("NCCL finds no module nvidia_peermem and no dma-bufs, or may not use them: ")
                + "NCCL_NET_GDR_LEVEL=SYS allows it";
    }

    private void links() {
        Map<String, Integer> ways = new LinkedHashMap<>();
        log.links().forEach(link -> ways.merge(path(link), 1, Integer::sum));
        Map<String, NcclLog.Link> first = new LinkedHashMap<>();
        log.links().forEach(link -> first.putIfAbsent(path(link), link));
        first.forEach((way, link) -> link(way, link, ways.get(way)));
    }

    private static String path(NcclLog.Link link) {
        return link.isOverNetwork()
                ? "between machines, " + link.over() + ", adapter " + link.adapter() + (link.direct() ? ", direct" : "")
                : "rank " + link.from() + " to rank " + link.to() + ", " + link.text();
    }

    private void link(String way, NcclLog.Link link, int count) {
        String channels = count == 1 ? "one channel" : count + " channels";
        if (!link.isOverNetwork()) {
            boolean forbidden = isSet("NCCL_P2P_DISABLE", "1") || isSet("NCCL_P2P_LEVEL", "LOC");
            String subject = "rank " + link.from() + " to rank " + link.to();
            String chosen = link.text() + ", " + channels;
            choices.add(
                    forbidden
                            ? Choice.compared(
                                    subject,
                                    chosen,
                                    "not P2P, because of a variable",
                                    !link.over().equals("P2P"),
                                    "")
                            : Choice.unpredicted(subject, chosen));
            return;
        }
        String name = adapterName(link.adapter()).orElse("adapter " + link.adapter());
        String subject = "other machines through " + name;
        String chosen = link.text() + ", " + channels;
        Optional<PairVerdict> verdict = link.over().equals("NET/" + SOCKET) ? Optional.empty() : verdict(name);
        choices.add(verdict.map(found -> Choice.compared(
                        subject,
                        chosen,
                        words(found),
                        link.direct() == found.isDirect(),
                        difference(link.direct(), found)))
                .orElse(Choice.unpredicted(subject, chosen)));
    }

    private void graphs() {
        if (log.channels() > 0) {
            String rings = log.rings().values().stream().distinct().limit(FEW).collect(Collectors.joining("; "));
            choices.add(Choice.unpredicted(
                    "channels", log.channels() + (rings.isEmpty() ? "" : ", ranks in the order " + rings)));
        }
        if (!Double.isNaN(log.totalBandwidth())) {
            choices.add(Choice.unpredicted(
                    "topology", String.format(Locale.ROOT, "%.1f GB/s for a GPU, in total", log.totalBandwidth())));
        }
        log.graphs().stream().filter(each -> each.pattern() == RING).findFirst().ifPresent(this::ring);
    }

    private void ring(NcclLog.Graph graph) {
        boolean network = log.links().stream().anyMatch(NcclLog.Link::isOverNetwork);
        String chosen = String.format(
                Locale.ROOT,
                "%d channels of %.1f GB/s, %s between GPUs%s",
                graph.channels(),
                graph.bandwidth(),
                graph.inside(),
                network ? ", " + graph.outside() + " to adapters" : "");
        Optional<PciDistance> nearest = verdicts().stream()
                .filter(PairVerdict::nearest)
                .flatMap(each -> each.distance().stream())
                .filter(far -> far != PciDistance.NONE)
                .findFirst();
        // Without a network the second kind means nothing.
        choices.add(
                network && nearest.isPresent()
                        ? Choice.compared(
                                "ring",
                                chosen,
                                nearest.get().label() + " to the nearest adapter",
                                ncclName(nearest.get()).equals(graph.outside()),
                                "NCCL uses an adapter that is not the nearest one of this GPU, perhaps through"
                                        + " another GPU (PXN), or counts links differently")
                        : Choice.unpredicted("ring", chosen));
    }

    /** NCCL does not have NODE. */
    private static String ncclName(PciDistance distance) {
        return distance == PciDistance.NODE ? PciDistance.PHB.label() : distance.label();
    }
}
