// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import static io.github.rdma4j.gpudirect.check.FindingState.FAIL;
import static io.github.rdma4j.gpudirect.check.FindingState.NOTE;
import static io.github.rdma4j.gpudirect.check.FindingState.UNKNOWN;
import static io.github.rdma4j.gpudirect.check.FindingState.WARNING;

import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.gpudirect.topology.PciLink;
import io.github.rdma4j.verbs.device.GidType;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.Mtu;
import io.github.rdma4j.verbs.device.PortState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Checks an adapter. */
final class AdapterChecks {
    private static final String NOT_OPENED = "the adapter could not be opened";
    private static final String EFA = "efa";

    private final CheckedAdapter adapter;
    private final Subject subject;
    private final List<PortFacts> ports;

    AdapterChecks(CheckedAdapter adapter) {
        this.adapter = adapter;
        this.subject = adapter.subject();
        this.ports = adapter.facts().map(AdapterFacts::ports).orElse(List.of());
    }

    List<Finding> findings() {
        List<Finding> findings = new ArrayList<>(List.of(opened(), kind(), dmaBuf()));
        if (!adapter.place().isSoftware()) {
            findings.add(dataDirect());
            findings.add(link());
        }
        findings.addAll(List.of(portState(), mtu(), gidType()));
        return findings;
    }

    private Finding finding(CheckId id, FindingState state, String seen, String meaning, String remedy) {
        return new Finding(id, subject, state, seen, meaning, remedy);
    }

    private Finding opened() {
        return adapter.problem()
                .map(problem ->
                        finding(CheckId.ADAPTER_OPEN, FAIL, problem.reason(), "it cannot be used", problem.remedy()))
                .orElseGet(() -> {
                    String firmware =
                            adapter.facts().map(AdapterFacts::firmware).orElse("");
                    return Finding.ok(
                            CheckId.ADAPTER_OPEN,
                            subject,
                            "can be opened" + (firmware.isBlank() ? "" : ", firmware " + firmware));
                });
    }

    private Finding kind() {
        Optional<PciFunction> function = adapter.place().function();
        if (function.isEmpty()) {
            return finding(
                    CheckId.ADAPTER_KIND,
                    NOTE,
                    "a device of software, without a PCI function",
                    "the processor copies each byte, so GPU memory is always staged through host memory",
                    "");
        }
        if (isEfa()) {
            return finding(
                    CheckId.ADAPTER_KIND,
                    NOTE,
                    "PCI function " + function.get().address()
                            + ", Amazon's Elastic Fabric Adapter (EFA), which has no queue pairs of type RC",
                    "GPU memory can be registered, but DeviceChannel, endpoints and rdma_cm connect queue pairs of type"
                            + " RC: they cannot run on it",
                    "use libfabric there, or datagram queue pairs (UD)");
        }
        return function.get().isVirtual()
                ? finding(
                        CheckId.ADAPTER_KIND,
                        NOTE,
                        "virtual function of "
                                + function.get().physicalFunction().orElseThrow(),
                        "it shares link and port with others; GPUDirect works as with the physical function",
                        "")
                : Finding.ok(
                        CheckId.ADAPTER_KIND,
                        subject,
                        "PCI function " + function.get().address()
                                + function.get()
                                        .driver()
                                        .map(name -> ", kernel driver " + name)
                                        .orElse(""));
    }

    private Finding dmaBuf() {
        return switch (adapter.facts().map(AdapterFacts::dmaBuf).orElse(Support.UNKNOWN)) {
            case YES ->
                Finding.ok(
                        CheckId.ADAPTER_DMA_BUF,
                        subject,
                        "ibv_reg_dmabuf_mr with file descriptor -1 says EBADF: offered");
            case NO ->
                finding(
                        CheckId.ADAPTER_DMA_BUF,
                        WARNING,
                        "ibv_reg_dmabuf_mr with file descriptor -1 says that it is not offered",
                        "the adapter cannot register dma-bufs",
                        adapter.place().isSoftware()
                                ? "none: no kernel offers it for devices of software"
                                : "needs Linux 5.12, rdma-core 34 and an adapter whose driver imports dma-bufs (mlx5,"
                                        + " irdma, efa, bnxt_re)");
            case UNKNOWN ->
                finding(
                        CheckId.ADAPTER_DMA_BUF,
                        UNKNOWN,
                        NOT_OPENED,
                        "whether it can register dma-bufs is not known",
                        "");
        };
    }

    private Finding dataDirect() {
        return adapter.facts()
                .flatMap(AdapterFacts::dataDirect)
                .map(support -> support.isAvailable()
                        ? Finding.ok(
                                CheckId.ADAPTER_DATA_DIRECT,
                                subject,
                                "engine at " + support.function().orElseThrow()
                                        + "; GpuDirectConfig.dataDirect() asks for it")
                        : finding(
                                CheckId.ADAPTER_DATA_DIRECT,
                                NOTE,
                                support.reason(),
                                "GPU memory is registered as plain dma-bufs, by the adapter's own PCI function",
                                ""))
                .orElseGet(() -> finding(
                        CheckId.ADAPTER_DATA_DIRECT,
                        UNKNOWN,
                        NOT_OPENED,
                        "whether it has a Data Direct engine is not known",
                        ""));
    }

    private Finding link() {
        Optional<PciLink> link =
                adapter.place().function().map(PciFunction::link).filter(found -> found.bandwidth() > 0);
        if (link.isEmpty()) {
            return finding(
                    CheckId.ADAPTER_LINK,
                    UNKNOWN,
                    "sysfs does not report the speed and width of the link",
                    "a link of few or slow lanes limits bandwidth",
                    "");
        }
        String seen = link.get().toString();
        return link.get().isNarrowed() || link.get().isSlowed()
                ? finding(
                        CheckId.ADAPTER_LINK,
                        WARNING,
                        seen,
                        "the link has fewer or slower lanes than the adapter, which limits bandwidth",
                        "use a slot with all lanes of the adapter's generation, and see that the card sits well")
                : Finding.ok(CheckId.ADAPTER_LINK, subject, seen);
    }

    private Finding portState() {
        if (ports.isEmpty()) {
            return finding(CheckId.PORT, UNKNOWN, NOT_OPENED, "whether its ports carry data is not known", "");
        }
        Map<String, List<String>> numbers = new LinkedHashMap<>();
        ports.forEach(port -> numbers.computeIfAbsent(port.state() + " (" + layer(port) + ")", _ -> new ArrayList<>())
                .add(Integer.toString(port.number())));
        String seen = ports.size() == 1
                ? numbers.keySet().iterator().next()
                : numbers.entrySet().stream()
                        .map(entry -> (entry.getValue().size() == 1 ? "port " : "ports ")
                                + String.join(" ", entry.getValue()) + " " + entry.getKey())
                        .collect(Collectors.joining(", "));
        // An unused port is no trouble if another one works.
        return active().isEmpty()
                ? finding(
                        CheckId.PORT,
                        WARNING,
                        seen,
                        "only an active port carries data",
                        "on Ethernet switch its network interface on (rdma link shows its name); on InfiniBand see"
                                + " cable and subnet manager")
                : Finding.ok(CheckId.PORT, subject, seen);
    }

    private Finding mtu() {
        List<PortFacts> known = active().stream()
                .filter(port -> port.activeMtu() != Mtu.UNKNOWN)
                .toList();
        if (known.isEmpty()) {
            return finding(
                    CheckId.MTU,
                    UNKNOWN,
                    ports.isEmpty() ? NOT_OPENED : "no port is active",
                    "small packets limit bandwidth",
                    "");
        }
        String seen = known.stream()
                .map(port ->
                        port.activeMtu().bytes() + " bytes of " + port.maxMtu().bytes())
                .distinct()
                .collect(Collectors.joining(", "));
        return known.stream()
                        .allMatch(port ->
                                port.activeMtu().bytes() >= port.maxMtu().bytes())
                ? Finding.ok(CheckId.MTU, subject, seen)
                : finding(
                        CheckId.MTU,
                        NOTE,
                        seen,
                        "packets are smaller than the port can have, which limits bandwidth",
                        "on Ethernet an interface MTU of 4200 or more gives 4096, on all machines and switches; ip link"
                                + " sets it");
    }

    private Finding gidType() {
        List<PortFacts> active = active();
        if (active.isEmpty()) {
            return finding(
                    CheckId.GID_TYPE,
                    UNKNOWN,
                    ports.isEmpty() ? NOT_OPENED : "no port is active",
                    "RoCE needs GIDs of type v2 to be routed",
                    "");
        }
        if (isEfa()) {
            return Finding.ok(CheckId.GID_TYPE, subject, "EFA, whose GIDs have no types");
        }
        if (active.stream().noneMatch(port -> port.linkLayer() == LinkLayer.ETHERNET)) {
            return Finding.ok(CheckId.GID_TYPE, subject, "InfiniBand, where LIDs address");
        }
        String seen = active.stream()
                .map(port -> port.gidTypes().isEmpty()
                        ? "no GID"
                        : port.gidTypes().stream()
                                .sorted()
                                .map(AdapterChecks::name)
                                .collect(Collectors.joining(", ")))
                .distinct()
                .collect(Collectors.joining("; "));
        return active.stream()
                        .filter(port -> port.linkLayer() == LinkLayer.ETHERNET)
                        .allMatch(port -> port.gidTypes().contains(GidType.ROCE_V2))
                ? Finding.ok(CheckId.GID_TYPE, subject, seen)
                : finding(
                        CheckId.GID_TYPE,
                        WARNING,
                        seen,
                        "without a RoCE v2 GID nothing is routed, and most tools find no GID to use",
                        "give the interface an IP address");
    }

    private List<PortFacts> active() {
        return ports.stream().filter(port -> port.state() == PortState.ACTIVE).toList();
    }

    /**
     * EFA has no link layer in verbs. For other drivers "unspecified" means InfiniBand: verbs.h defines it so for old
     * drivers.
     */
    private String layer(PortFacts port) {
        return switch (port.linkLayer()) {
            case ETHERNET -> "Ethernet";
            case INFINIBAND -> "InfiniBand";
            case UNSPECIFIED -> isEfa() ? "EFA" : "InfiniBand";
        };
    }

    private boolean isEfa() {
        return adapter.place()
                .function()
                .flatMap(PciFunction::driver)
                .filter(EFA::equals)
                .isPresent();
    }

    private static String name(GidType type) {
        return switch (type) {
            case INFINIBAND -> "InfiniBand";
            case ROCE_V1 -> "RoCE v1";
            case ROCE_V2 -> "RoCE v2";
            case UNKNOWN -> "a type not known";
        };
    }
}
