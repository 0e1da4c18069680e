// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.FindingState.FAIL;
import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import io.github.rdma4j.perftest.doctor.machine.Problem;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks libraries, kernel modules and device files. */
final class SoftwareChecks {
    private static final String PROVIDERS = "etc/libibverbs.d";
    private static final Pattern PROVIDER_FILE = Pattern.compile("lib(\\w+)-rdmav\\d+\\.so");
    /** Libraries of rdma-core carry its version in their files' names: libibverbs.so.1.14.44.0. */
    private static final Pattern VERSION = Pattern.compile(".*\\.so\\.\\d+\\.\\d+\\.(\\d+)\\.\\d+");

    private static final String DEVICES = "/sys/class/infiniband";
    private static final String NODES = "dev/infiniband";
    private static final String CM = "rdma_cm";
    private static final String CONTAINER = "; start a container with --device=/dev/infiniband";

    /** For each adapter's driver, the module that creates its RDMA device. */
    private static final Map<String, String> RDMA_MODULES = Map.of(
            "mlx5_core", "mlx5_ib",
            "mlx4_core", "mlx4_ib",
            "ice", "irdma",
            "bnxt_en", "bnxt_re",
            "hns3", "hns_roce_hw_v2",
            "qede", "qedr",
            "cxgb4", "iw_cxgb4",
            "mana", "mana_ib",
            "ionic", "ionic_rdma");

    private static final int MELLANOX = 0x15b3;
    private static final int INTEL = 0x8086;
    private static final int X722 = 0x37c0;
    private static final int X722_MASK = 0xffe0;
    private static final int AMAZON = 0x1d0f;
    private static final int EFA = 0xefa0;
    private static final int EFA_MASK = 0xfff0;

    private final Machine machine;
    private final MachineFiles files;
    private final List<RdmaDevice> devices;

    SoftwareChecks(Machine machine) {
        this.machine = machine;
        this.files = machine.files();
        this.devices = machine.devices();
    }

    List<Finding> findings() {
        List<Finding> findings = new ArrayList<>(List.of(
                library(Check.LIBIBVERBS, "libibverbs.so.1", machine.verbs().problem(), "no program can use RDMA"),
                library(
                        Check.LIBRDMACM,
                        "librdmacm.so.1",
                        machine.connectionManager(),
                        "endpoints and all other programs that connect by rdma_cm fail; verbs work without it"),
                providers(),
                jdk(),
                rdmaDevices()));
        if (!devices.isEmpty()) {
            findings.add(uverbs());
            findings.add(connectionManager());
        }
        return findings;
    }

    private Finding library(Check check, String soname, Optional<Problem> problem, String meaning) {
        if (problem.isPresent()) {
            return new Finding(
                    check,
                    "",
                    "dlopen",
                    FAIL,
                    problem.get().reason(),
                    meaning,
                    problem.get().remedy());
        }
        Optional<String> file = file(soname);
        Matcher version = VERSION.matcher(file.orElse(""));
        return Finding.ok(
                check,
                "",
                file.orElse("dlopen"),
                version.matches()
                        ? "rdma-core " + version.group(1) + ", " + file.get()
                        : file.map(name -> name + "; its name has no version").orElse(soname + " can be opened"));
    }

    /** The file that this process has opened; on a recorded machine that in the usual folders. */
    private Optional<String> file(String soname) {
        Optional<String> mapped = files.text("proc/self/maps").stream()
                .flatMap(String::lines)
                .filter(line -> line.contains("/" + soname))
                .map(line -> line.substring(line.indexOf('/')))
                .findFirst();
        return mapped.or(() -> MachineFiles.LIBRARY_FOLDERS.stream()
                .filter(folder -> files.exists(folder + "/" + soname))
                .map(folder ->
                        "/" + folder + "/" + files.target(folder + "/" + soname).orElse(soname))
                .findFirst());
    }

    private Finding providers() {
        List<String> installed = installedProviders();
        String seen = installed.isEmpty()
                ? "no user-space driver is in /etc/libibverbs.d or in a folder libibverbs beside the library"
                : "user-space drivers: " + String.join(" ", installed);
        if (machine.verbs().problem().isPresent()) {
            return new Finding(
                    Check.PROVIDERS,
                    "",
                    "/" + PROVIDERS,
                    UNKNOWN,
                    seen,
                    "without libibverbs it is unknown whether they match the devices: see libibverbs",
                    "");
        }
        List<RdmaDevice> unlisted = devices.stream()
                .filter(device -> device.facts().isEmpty() && device.node().isPresent())
                .filter(device -> !machine.isWithheld(device))
                .toList();
        String unserved = Names.list(unlisted.stream().map(RdmaDevice::name).toList());
        if (unlisted.stream()
                .flatMap(device -> device.node().stream())
                .anyMatch(node -> !files.exists(NODES + "/" + node))) {
            return new Finding(
                    Check.PROVIDERS,
                    "",
                    "ibv_get_device_list",
                    UNKNOWN,
                    "libibverbs does not list " + unserved + "; " + seen,
                    "libibverbs lists a device only if it finds the device file: see uverbs",
                    "");
        }
        if (!unserved.isEmpty()) {
            return new Finding(
                    Check.PROVIDERS,
                    "",
                    "ibv_get_device_list",
                    FAIL,
                    "libibverbs does not list " + unserved + ", for which the kernel's driver has ABI "
                            + interfaces(unlisted) + "; " + seen,
                    "libibverbs has no user-space driver for the device, or only one for another ABI, so no program can"
                            + " open it",
                    "install the drivers, for a container in its image: apt-get install ibverbs-providers (Debian,"
                            + " Ubuntu) or dnf install libibverbs (Fedora, RHEL), or the packages of the kernel driver's"
                            + " maker; IBV_SHOW_WARNINGS=1 ibv_devices prints why an installed one is not used");
        }
        return installed.isEmpty()
                ? new Finding(
                        Check.PROVIDERS,
                        "",
                        "/" + PROVIDERS,
                        UNKNOWN,
                        seen,
                        "the drivers are in another folder, or none is installed",
                        "run ibv_devices: it lists the devices that have a driver")
                : Finding.ok(Check.PROVIDERS, "", "/" + PROVIDERS, seen);
    }

    /** The versions of the interface between the kernel's drivers and theirs in user space. */
    private String interfaces(List<RdmaDevice> of) {
        return of.stream()
                .flatMap(device -> device.node().stream())
                .map(node -> files.text("sys/class/infiniband_verbs/" + node + "/abi_version")
                        .orElse("unknown"))
                .distinct()
                .collect(Collectors.joining(", "));
    }

    private List<String> installedProviders() {
        List<String> listed = files.names(PROVIDERS).stream()
                .filter(name -> name.endsWith(".driver"))
                .map(name -> name.substring(0, name.length() - ".driver".length()))
                .sorted()
                .toList();
        return listed.isEmpty()
                ? MachineFiles.LIBRARY_FOLDERS.stream()
                        .flatMap(folder -> files.names(folder + "/libibverbs").stream())
                        .map(PROVIDER_FILE::matcher)
                        .filter(Matcher::matches)
                        .map(provider -> provider.group(1))
                        .distinct()
                        .sorted()
                        .toList()
                : listed;
    }

    private Finding jdk() {
        Runtime.Version version = machine.java();
        boolean corrupts = version.feature() == 25 && version.interim() == 0 && version.update() <= 2;
        return corrupts
                ? new Finding(
                        Check.JDK,
                        "",
                        "java.version",
                        WARNING,
                        "JDK " + version + ": G1 can corrupt arrays that native code has pinned (JDK-8377811)",
                        "rdma4j pins no arrays, but compression or encryption libraries that use JNI in the same"
                                + " JVM may return wrong data",
                        "update to JDK 25.0.3 or later; until then start Java with -XX:+UseParallelGC")
                : Finding.ok(Check.JDK, "", "java.version", "JDK " + version);
    }

    /** Devices that the kernel lists and keeps from programs. */
    private String management() {
        Set<String> used = devices.stream().map(RdmaDevice::name).collect(Collectors.toSet());
        String others = files.names("sys/class/infiniband").stream()
                .filter(name -> !used.contains(name))
                .collect(Collectors.joining(", "));
        return others.isEmpty() ? "" : "; only for subnet management: " + others;
    }

    private Finding rdmaDevices() {
        if (!devices.isEmpty()) {
            return Finding.ok(
                    Check.RDMA_DEVICES,
                    "",
                    DEVICES,
                    Names.list(devices.stream().map(RdmaDevice::name).toList()) + management());
        }
        if (!files.exists("sys/class")) {
            return new Finding(
                    Check.RDMA_DEVICES,
                    "",
                    "/sys",
                    FAIL,
                    "there is no /sys/class: sysfs is not mounted",
                    "libibverbs and this command find devices only through sysfs",
                    "mount -t sysfs sysfs /sys; start a container with --volume /sys:/sys:ro");
        }
        String core = files.exists("sys/class/infiniband")
                ? DEVICES + " lists no device"
                : "there is no " + DEVICES + ": the kernel's RDMA core (ib_core) is not loaded";
        for (PciFunction function : machine.topology().functions()) {
            Optional<String> missing = missingModule(function);
            if (missing.isPresent() && files.exists("sys/module/" + missing.get())) {
                boolean exclusive = files.text("sys/module/ib_core/parameters/netns_mode")
                        .filter("N"::equals)
                        .isPresent();
                return new Finding(
                        Check.RDMA_DEVICES,
                        "",
                        "/sys/module/" + missing.get(),
                        FAIL,
                        core + "; " + missing.get() + " is loaded but has created no RDMA device for the adapter "
                                + function.address(),
                        exclusive
                                ? "another network namespace may own the device: on this machine, each RDMA device"
                                        + " belongs to one namespace"
                                : "RDMA is disabled for the adapter, or the module failed to create the device",
                        exclusive
                                ? "find the namespace in which rdma dev lists the device, and move it from there to"
                                        + " this one with rdma dev set (option netns)"
                                : "check enable_rdma and enable_roce with devlink dev param show pci/"
                                        + function.address() + ", and the module's messages with dmesg");
            }
            if (missing.isPresent()) {
                return new Finding(
                        Check.RDMA_DEVICES,
                        "",
                        "/sys/bus/pci/devices",
                        FAIL,
                        core + "; the adapter " + function.address() + " has "
                                + function.driver()
                                        .map(name -> "the driver " + name)
                                        .orElse("no driver"),
                        "the adapter is present, but the module that creates its RDMA device is not loaded",
                        "modprobe " + missing.get() + "; if that fails, dmesg shows why");
            }
        }
        Optional<PciFunction> slingshot = machine.topology().functions().stream()
                .filter(function -> function.driver().filter("cxi_ss1"::equals).isPresent())
                .findFirst();
        if (slingshot.isPresent()) {
            String address = slingshot.get().address().toString();
            return new Finding(
                    Check.RDMA_DEVICES,
                    "",
                    DEVICES,
                    FAIL,
                    core + "; the adapter " + address + " is of HPE Slingshot, which has no verbs",
                    "programs use Slingshot's RDMA only through libfabric (provider cxi)",
                    "use SoftRoCE on its network interface: modprobe rdma_rxe, then rdma link add rxe0 type rxe netdev "
                            + files.names("sys/bus/pci/devices/" + address + "/net").stream()
                                    .findFirst()
                                    .orElse("hsn0"));
        }
        return new Finding(
                Check.RDMA_DEVICES,
                "",
                DEVICES,
                FAIL,
                core + ", and no known RDMA adapter is on the PCI bus",
                "this machine has no RDMA device",
                "install an adapter, or use SoftRoCE on a network interface: modprobe rdma_rxe, then rdma link add"
                        + " rxe0 type rxe netdev eth0; if the kernel lacks that module, run scripts/softroce");
    }

    private static Optional<String> missingModule(PciFunction function) {
        if (function.vendor() == INTEL
                && (function.device() & X722_MASK) == X722
                && function.driver().filter("i40e"::equals).isPresent()) {
            return Optional.of("irdma");
        }
        if (function.driver().isPresent()) {
            return Optional.ofNullable(RDMA_MODULES.get(function.driver().get()));
        }
        if (function.vendor() == MELLANOX && function.classCode() >>> 16 == 0x02) {
            return Optional.of("mlx5_ib (before ConnectX-4 mlx4_ib)");
        }
        return function.vendor() == AMAZON && (function.device() & EFA_MASK) == EFA
                ? Optional.of("efa")
                : Optional.empty();
    }

    private Finding uverbs() {
        List<String> nodes =
                devices.stream().flatMap(device -> device.node().stream()).toList();
        if (nodes.isEmpty()) {
            boolean loaded = files.exists("sys/class/infiniband_verbs");
            return new Finding(
                    Check.UVERBS,
                    "",
                    "/sys/class/infiniband_verbs",
                    FAIL,
                    "the kernel does not offer its devices to programs: "
                            + (loaded ? "they are being removed" : "the module ib_uverbs is not loaded"),
                    "no program can open a device",
                    loaded
                            ? "end the programs that still have them open, and read the kernel's log: dmesg"
                            : "modprobe ib_uverbs");
        }
        List<RdmaDevice> withheld = devices.stream().filter(machine::isWithheld).toList();
        if (!withheld.isEmpty()) {
            return new Finding(
                    Check.UVERBS,
                    "",
                    "/" + NODES,
                    NOTE,
                    "/" + NODES + " has no file for "
                            + Names.list(withheld.stream().map(RdmaDevice::name).toList()),
                    "this process was given only some of the machine's devices, and cannot use the others",
                    "");
        }
        boolean bothFail = sameFault();
        return nodes(
                Check.UVERBS,
                bothFail ? Stream.concat(nodes.stream(), Stream.of(CM)).toList() : nodes,
                "no program of this user can open "
                        + Names.list(devices.stream().map(RdmaDevice::name).toList())
                        + (bothFail ? ", or connect by rdma_cm" : ""));
    }

    /** Returns whether the cause that keeps this process from the devices also keeps it from rdma_cm. */
    private boolean sameFault() {
        boolean missing = files.exists("sys/class/misc/rdma_cm") && !files.exists(NODES + "/" + CM);
        boolean forbidden = machine.isForbidden(NODES + "/" + CM);
        return devices.stream()
                .filter(device -> device.node().isPresent())
                .allMatch(device -> missing && machine.hasNoFile(device) || forbidden && machine.isForbidden(device));
    }

    private Finding connectionManager() {
        if (!files.exists("sys/class/misc/rdma_cm") && !files.exists(NODES + "/rdma_cm")) {
            if (devices.stream().allMatch(RdmaDevice::isEfa)) {
                return new Finding(
                        Check.RDMA_CM,
                        "",
                        "/sys/class/misc/rdma_cm",
                        NOTE,
                        "the module rdma_ucm is not loaded",
                        "EFA does not use rdma_cm, and there is no other adapter",
                        "");
            }
            return new Finding(
                    Check.RDMA_CM,
                    "",
                    "/sys/class/misc/rdma_cm",
                    FAIL,
                    "the module rdma_ucm is not loaded",
                    "endpoints and all other programs that connect by rdma_cm fail; verbs work without it",
                    "modprobe rdma_ucm");
        }
        if (sameFault()) {
            return new Finding(Check.RDMA_CM, "", "/" + NODES, UNKNOWN, "cannot be used: see uverbs", "", "");
        }
        return nodes(
                Check.RDMA_CM,
                List.of(CM),
                "endpoints and all other programs that connect by rdma_cm fail; verbs work without it");
    }

    private Finding nodes(Check check, List<String> names, String meaning) {
        String folder = "/" + NODES;
        String missing = Names.list(
                names.stream().filter(name -> !files.exists(NODES + "/" + name)).toList());
        if (!missing.isEmpty()) {
            return new Finding(
                    check,
                    "",
                    folder,
                    FAIL,
                    folder + " has no " + missing,
                    meaning,
                    "create the files with udevadm" + " trigger" + CONTAINER);
        }
        String forbidden = Names.list(names.stream()
                .filter(name -> machine.isForbidden(NODES + "/" + name))
                .toList());
        return forbidden.isEmpty()
                ? Finding.ok(check, "", folder, Names.list(names) + " can be read and written")
                : new Finding(
                        check,
                        "",
                        folder,
                        FAIL,
                        "this user may not read and write " + folder + "/" + forbidden,
                        meaning,
                        "add this user to the group that ls -l " + folder
                                + " shows and log in again, or grant access with a udev rule");
    }
}
