// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.FindingState.FAIL;
import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.perftest.doctor.machine.AdapterFacts;
import io.github.rdma4j.perftest.doctor.machine.Bond;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import io.github.rdma4j.perftest.doctor.machine.PortFacts;
import io.github.rdma4j.perftest.doctor.machine.Problem;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import io.github.rdma4j.perftest.doctor.machine.RdmaPort;
import io.github.rdma4j.verbs.device.EfaCapability;
import io.github.rdma4j.verbs.device.EfaDeviceAttributes;
import io.github.rdma4j.verbs.device.Mtu;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Checks a device, its ports and their network interfaces. */
final class DeviceChecks {
    private static final String INTERFACES = "sys/class/net/";
    private static final String NO_GUID = "0000:0000:0000:0000";
    private static final int INTERFACE_IS_UP = 1;

    private final MachineFiles files;
    private final Machine machine;
    private final RdmaDevice device;

    DeviceChecks(Machine machine, RdmaDevice device) {
        this.machine = machine;
        this.files = machine.files();
        this.device = device;
    }

    List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        findings.add(device());
        if (machine.isWithheld(device)) {
            return findings;
        }
        if (device.isEfa() && device.isOpen()) {
            findings.add(efa());
        }
        for (RdmaPort port : device.ports()) {
            if (port.rawOnly()) {
                findings.add(rawOnly(port));
                continue;
            }
            if (device.isUnused(port, machine.devices())) {
                findings.add(unused(port));
                continue;
            }
            findings.add(port(port));
            if (port.isEthernet() && (device.isIwarp() || device.isRoce(port))) {
                findings.add(networkInterface(port));
            }
            if (port.isActive()) {
                findings.add(mtu(port));
            }
        }
        return findings;
    }

    private Finding device() {
        String source = "ibv_open_device";
        if (!device.isOpen()) {
            return notOpen(source);
        }
        String seen = describe();
        String guid = device.folder() + "/node_guid";
        if (!device.isEfa() && files.text(guid).filter(NO_GUID::equals).isPresent()) {
            return new Finding(
                    Check.DEVICE,
                    device.name(),
                    "/" + guid,
                    WARNING,
                    seen + ", node GUID 0",
                    "rdma_cm does not find a device without a node GUID: it cannot connect, and before rdma-core 56 the"
                            + " attempt crashes the process",
                    device.function()
                            .flatMap(PciFunction::physicalFunction)
                            .map(physical -> onHost(Optional.of(physical)))
                            .orElse("set the node GUID with the tools of the adapter's maker, or update its firmware"));
        }
        if (device.isSoftware()) {
            return note(
                    seen,
                    "a software device: the processor handles each packet, which is fine for tests and"
                            + " slow in production");
        }
        if (device.isIwarp()) {
            return note(
                    seen,
                    "iWARP (RDMA over TCP) connects only by rdma_cm (option -R of the tools) and has no"
                            + " datagrams");
        }
        if (device.isEfa()) {
            return note(
                    seen,
                    "EFA has SRD queue pairs and datagrams (UD), but no reliable connections (RC) and no rdma_cm",
                    "use endpoints or ProtectionDomain.createSrdQueuePair, and the tools with -c SRD");
        }
        if (!device.nodeType().equals("CA") && !device.nodeType().isEmpty()) {
            return new Finding(
                    Check.DEVICE,
                    device.name(),
                    "/" + device.folder(),
                    WARNING,
                    seen,
                    "the device has its own transport, as usNIC does, without reliable connections (RC): endpoints"
                            + " and most tools cannot use it",
                    "use datagrams (UD)");
        }
        return Finding.ok(Check.DEVICE, device.name(), source, seen);
    }

    /** A cause that keeps several devices from being opened is reported once, by the check that finds it. */
    private Finding notOpen(String source) {
        if (machine.isWithheld(device)) {
            return note(
                    "/dev/infiniband has no file for it",
                    "this process was given other devices but not this one, as is usual for containers");
        }
        Optional<Check> cause = Optional.empty();
        if (machine.verbs().problem().isPresent()) {
            cause = Optional.of(Check.LIBIBVERBS);
        } else if (files.names("sys/class/infiniband_verbs").isEmpty()
                || machine.hasNoFile(device)
                || machine.isForbidden(device)) {
            cause = Optional.of(Check.UVERBS);
        } else if (device.facts().isEmpty() && device.node().isPresent()) {
            cause = Optional.of(Check.PROVIDERS);
        }
        if (cause.isPresent()) {
            return new Finding(
                    Check.DEVICE,
                    device.name(),
                    source,
                    UNKNOWN,
                    "cannot be opened: see " + cause.get().key(),
                    "",
                    "");
        }
        Optional<Problem> problem = device.facts().flatMap(AdapterFacts::problem);
        return new Finding(
                Check.DEVICE,
                device.name(),
                source,
                FAIL,
                problem.map(Problem::reason).orElse("the kernel does not offer it to programs: it has no uverbs file"),
                "no program can use the device",
                problem.map(Problem::remedy).orElse("look for the reason in the kernel's log: dmesg"));
    }

    private Finding note(String seen, String meaning) {
        return note(seen, meaning, "");
    }

    private Finding note(String seen, String meaning, String remedy) {
        return new Finding(Check.DEVICE, device.name(), "/" + device.folder(), NOTE, seen, meaning, remedy);
    }

    private Finding efa() {
        String source = "efadv_query_device";
        Optional<EfaDeviceAttributes> found = device.facts().flatMap(AdapterFacts::efa);
        if (found.isEmpty()) {
            return new Finding(
                    Check.EFA,
                    device.name(),
                    source,
                    UNKNOWN,
                    "libefa does not report the device's capabilities",
                    "RDMA reads and writes may be missing",
                    "");
        }
        EfaDeviceAttributes efa = found.get();
        List<String> missing = Stream.of(EfaCapability.RDMA_READ, EfaCapability.RDMA_WRITE)
                .filter(capability -> !efa.capabilities().contains(capability))
                .map(capability -> capability == EfaCapability.RDMA_READ ? "reads" : "writes")
                .toList();
        if (missing.isEmpty()) {
            return Finding.ok(
                    Check.EFA, device.name(), source, "RDMA reads and writes, up to " + Bytes.words(efa.maxRdmaSize()));
        }
        return new Finding(
                Check.EFA,
                device.name(),
                source,
                WARNING,
                "no RDMA " + String.join(" and no RDMA ", missing),
                "such requests fail: the adapter, its driver or rdma-core does not support them (rdma-core supports"
                        + " reads from version 27 and writes from 46)",
                "install AWS's EFA software, which contains rdma-core and the driver, or use an instance type whose"
                        + " EFA supports RDMA reads and writes");
    }

    private String describe() {
        return String.join(
                ", ",
                Stream.of(
                                Optional.of("can be opened"),
                                Optional.of("node type " + device.nodeType()),
                                device.function().flatMap(PciFunction::driver).map(name -> "driver " + name),
                                Optional.of(device.firmware())
                                        .filter(version -> !version.isEmpty())
                                        .map(version -> "firmware " + version),
                                device.function()
                                        .flatMap(PciFunction::physicalFunction)
                                        .map(physical -> "virtual function of " + physical))
                        .flatMap(Optional::stream)
                        .toList());
    }

    private Finding port(RdmaPort port) {
        String source = "/" + port.folder();
        if (port.state().isEmpty()) {
            return new Finding(
                    Check.PORT,
                    port.name(),
                    source,
                    UNKNOWN,
                    "the port's state cannot be read",
                    "only an active port carries data",
                    "run rdma link to see the state");
        }
        String seen = port.state() + ", " + port.physicalState() + ", " + port.linkLayer()
                + (port.rate().isEmpty() ? "" : ", " + port.rate())
                + port.bond().map(DeviceChecks::words).orElse("");
        if (port.isActive()) {
            return lanes(port)
                    .map(slow -> new Finding(
                            Check.PORT,
                            port.name(),
                            source,
                            WARNING,
                            seen,
                            slow,
                            "reseat or replace cable and transceiver; to see the lanes, run " + portState(port)
                                    + "query"))
                    .orElseGet(() -> Finding.ok(Check.PORT, port.name(), source, seen));
        }
        return new Finding(
                Check.PORT, port.name(), source, FAIL, seen, "only an active port carries data", activate(port));
    }

    /** Returns what is wrong with the lanes of an active port; empty if nothing is. */
    private Optional<String> lanes(RdmaPort port) {
        if (!port.isInfiniBand()) {
            return Optional.empty();
        }
        // InfiniBand ports have four lanes, or two for NDR and HDR with a splitting cable.
        if (port.rate().contains("(1X ")) {
            return Optional.of("only one of usually four lanes is up, so bandwidth drops to a quarter");
        }
        // The slowest adapter of this driver has lanes of FDR.
        return port.rate().contains("X SDR)")
                        && device.function()
                                .flatMap(PciFunction::driver)
                                .filter("mlx5_core"::equals)
                                .isPresent()
                ? Optional.of("the lanes run at SDR, the lowest speed of InfiniBand, although the adapter is faster")
                : Optional.empty();
    }

    private static String words(Bond bond) {
        if (!bond.isShared()) {
            return "; in the bond " + bond.name() + ", where it uses only its own link";
        }
        return " of one of its links; the bond " + bond.name() + " (" + String.join(", ", bond.members()) + ") has "
                + (bond.gigabits().isPresent()
                        ? String.format(
                                Locale.ROOT, "%.0f Gbit/s", bond.gigabits().getAsDouble())
                        : "a rate that the kernel does not report");
    }

    private Finding unused(RdmaPort port) {
        return new Finding(
                Check.PORT,
                port.name(),
                "/" + port.folder(),
                NOTE,
                port.state() + ", " + port.physicalState() + ", " + port.linkLayer() + ": not in use",
                "the port has no address, and another port of the card works",
                "");
    }

    private Finding rawOnly(RdmaPort port) {
        boolean others = machine.devices().stream()
                .anyMatch(other -> other.ports().stream().anyMatch(other::canUse));
        String address =
                device.function().map(function -> "pci/" + function.address()).orElse("");
        return new Finding(
                Check.PORT,
                port.name(),
                "/" + port.folder() + "/gids",
                others ? NOTE : FAIL,
                "has no GID table: raw Ethernet packets only",
                "RoCE needs a GID; in switchdev mode a port stands for a virtual function, whose own device has GIDs",
                "use the device of a virtual function or subfunction; if the adapter is not in switchdev mode (devlink dev"
                        + " eswitch show " + address + "), switch RoCE on: devlink dev param set " + address
                        + " name enable_roce value true cmode driverinit, then devlink dev reload " + address);
    }

    private String activate(RdmaPort port) {
        if (port.isEthernet()) {
            if (port.networkInterface().isEmpty()) {
                return device.function().flatMap(PciFunction::physicalFunction).isPresent()
                        ? "move the virtual function's network interface into this network namespace and bring it up;"
                                + " rdma link on the host shows its name"
                        : "check cable, transceiver and switch; rdma link shows the network interface to bring up";
            }
            String networkInterface = port.networkInterface().get();
            return port.physicalState().equals("Disabled")
                    ? "ip link set " + networkInterface + " up; if it is already up, " + link(networkInterface)
                    : link(networkInterface);
        }
        Optional<PciAddress> physical = device.function().flatMap(PciFunction::physicalFunction);
        boolean linked = port.physicalState().equals("LinkUp");
        if (linked && (physical.isPresent() || port.state().equals("DOWN"))) {
            return onHost(physical);
        }
        if (port.physicalState().equals("Disabled")) {
            return "switch the port on: " + portState(port) + "enable";
        }
        if (port.state().equals("DOWN")) {
            return "check cable and switch; the link's state: " + portState(port) + "query";
        }
        Optional<Integer> manager = files.text(port.folder() + "/sm_lid")
                .filter(lid -> lid.matches("0x[0-9a-f]{1,4}"))
                .map(Integer::decode)
                .filter(lid -> lid != 0);
        return manager.map(lid -> "see whether the subnet manager, which was at LID " + lid
                        + ", still runs: sminfo -C " + device.name() + " -P " + port.number()
                        + ". For a virtual function it must support virtualization (virt_enabled 2"
                        + " in opensm.conf); in a cloud, restart the machine or ask the provider")
                .orElse("start a subnet manager: opensm, or the one of a switch");
    }

    /** Without the adapter's name, infiniband-diags take the first active port of the machine. */
    private String portState(RdmaPort port) {
        return "ibportstate -C " + device.name() + " -P " + port.number() + " -D 0 " + port.number() + " ";
    }

    /** Returns how to get a link for an interface that is switched on. */
    private String link(String networkInterface) {
        String folder = INTERFACES + networkInterface;
        if (files.exists(folder + "/bridge")) {
            return "connect an interface to the bridge " + networkInterface
                    + ", which is up while one of its interfaces is: bridge link shows them";
        }
        if (files.exists(folder + "/wireless") || files.exists(folder + "/phy80211")) {
            return "join a wireless network: iw dev " + networkInterface + " link shows the state";
        }
        return "check cable and switch; the link's state: ethtool " + networkInterface;
    }

    /** A virtual function has neither a GUID nor a state until its host sets both. */
    private String onHost(Optional<PciAddress> physical) {
        String folder =
                "sys/bus/pci/devices/" + physical.map(PciAddress::toString).orElse("none");
        String own = device.function().orElseThrow().address().toString();
        Optional<String> number = files.names(folder).stream()
                .filter(name -> name.matches("virtfn\\d{1,4}"))
                .filter(name ->
                        files.target(folder + "/" + name).filter(own::equals).isPresent())
                .map(name -> name.substring("virtfn".length()))
                .findFirst();
        List<String> interfaces = files.names(folder + "/net");
        return number.isPresent() && !interfaces.isEmpty()
                ? "on the host, set the virtual function's node_guid and port_guid with ip link set ... vf N, then"
                        + " its state: ip link set " + interfaces.getFirst() + " vf " + number.get()
                        + " state auto"
                : "on the host, set node_guid, port_guid and then state auto of this virtual function with ip link"
                        + " set INTERFACE vf N";
    }

    private Finding networkInterface(RdmaPort port) {
        if (port.networkInterface().isEmpty()) {
            return new Finding(
                    Check.INTERFACE,
                    port.name(),
                    "/" + port.folder() + "/gid_attrs/ndevs",
                    UNKNOWN,
                    "sysfs names no network interface for the port",
                    "a RoCE or iWARP port needs a network interface that is up and has an address",
                    "run rdma link: it names the interface");
        }
        String name = port.networkInterface().get();
        String folder = INTERFACES + name;
        if (!files.exists(folder)) {
            return new Finding(
                    Check.INTERFACE,
                    port.name(),
                    "/" + folder,
                    FAIL,
                    "its network interface " + name + " is not in this network namespace",
                    "without it the port has no addresses here",
                    "start the container with --network host, or move the interface into its namespace: ip link set "
                            + name + " netns NAMESPACE");
        }
        String state = files.text(folder + "/operstate").orElse("unknown");
        boolean up = files.text(folder + "/flags")
                .filter(flags -> flags.matches("0x[0-9a-f]{1,8}"))
                .map(flags -> (Long.decode(flags) & INTERFACE_IS_UP) != 0)
                .orElse(!state.equals("down"));
        String mtu = files.text(folder + "/mtu").map(text -> ", MTU " + text).orElse("");
        if (up && (state.equals("up") || state.equals("unknown"))) {
            List<String> missing = port.bond().stream()
                    .filter(Bond::isShared)
                    .flatMap(bond -> bond.members().stream())
                    .filter(member -> files.text(INTERFACES + member + "/operstate")
                            .filter(found -> !found.equals("up") && !found.equals("unknown"))
                            .isPresent())
                    .toList();
            if (!missing.isEmpty()) {
                return new Finding(
                        Check.INTERFACE,
                        port.name(),
                        "/" + folder,
                        WARNING,
                        name + " is up" + mtu + "; in this bond, no link: " + String.join(", ", missing),
                        "the bond carries less, and may have no link in reserve",
                        "check cable and switch; the link's state: ethtool " + missing.getFirst());
            }
            return Finding.ok(Check.INTERFACE, port.name(), "/" + folder, name + " is up" + mtu);
        }
        return new Finding(
                Check.INTERFACE,
                port.name(),
                "/" + folder,
                FAIL,
                name + (up ? " is " + state : " is switched off") + mtu,
                "a RoCE or iWARP port carries data only while its interface is up",
                up ? link(name) : "ip link set " + name + " up");
    }

    private Finding mtu(RdmaPort port) {
        String source = "ibv_query_port";
        Optional<PortFacts> facts = port.facts().filter(found -> found.activeMtu() != Mtu.UNKNOWN);
        if (facts.isEmpty()) {
            return new Finding(
                    Check.MTU,
                    port.name(),
                    source,
                    UNKNOWN,
                    "libibverbs does not report the path MTU",
                    "small packets limit bandwidth",
                    "");
        }
        int active = facts.get().activeMtu().bytes();
        int most = facts.get().maxMtu().bytes();
        String seen = active + " of " + most + " bytes";
        if (active >= most || device.isIwarp()) {
            return Finding.ok(Check.MTU, port.name(), source, seen);
        }
        return new Finding(
                Check.MTU,
                port.name(),
                source,
                NOTE,
                seen,
                "packets are smaller than the port allows: more headers, less bandwidth",
                port.isEthernet()
                        ? port.networkInterface()
                                .map(name -> "ip link set " + name
                                        + " mtu 4200 (or 9000), on all machines and switches of the network")
                                .orElse("raise the MTU of its network interface to 4200 (or 9000), on all machines and"
                                        + " switches of the network")
                        : "set mtu=5 for the partition in the subnet manager's partitions.conf");
    }
}
