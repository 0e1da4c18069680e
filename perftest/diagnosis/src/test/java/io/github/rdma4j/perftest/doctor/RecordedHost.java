// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import io.github.rdma4j.gpudirect.Bar1Memory;
import io.github.rdma4j.gpudirect.machines.RecordedMachine;
import io.github.rdma4j.gpudirect.topology.Topology;
import io.github.rdma4j.perftest.doctor.check.Diagnosis;
import io.github.rdma4j.perftest.doctor.check.Doctor;
import io.github.rdma4j.perftest.doctor.machine.AdapterFacts;
import io.github.rdma4j.perftest.doctor.machine.AdapterInventory;
import io.github.rdma4j.perftest.doctor.machine.DoctorSources;
import io.github.rdma4j.perftest.doctor.machine.FlowControl;
import io.github.rdma4j.perftest.doctor.machine.GpuFacts;
import io.github.rdma4j.perftest.doctor.machine.GpuInventory;
import io.github.rdma4j.perftest.doctor.machine.LinkPause;
import io.github.rdma4j.perftest.doctor.machine.PortFacts;
import io.github.rdma4j.perftest.doctor.machine.Problem;
import io.github.rdma4j.perftest.doctor.machine.Support;
import io.github.rdma4j.verbs.device.EfaCapability;
import io.github.rdma4j.verbs.device.EfaDeviceAttributes;
import io.github.rdma4j.verbs.device.Mtu;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A machine for the doctor: the adapters of a recorded tree in a host on which all is well until something is changed.
 *
 * <p>The tree also contains what libibverbs reports: {@code ibv_devinfo/DEVICE/PORT} has the MTUs and the largest
 * message, {@code ibv_devinfo/DEVICE/efa_device_caps} EFA's capabilities, and {@code ibv_devinfo/DEVICE/problem} why
 * the device cannot be opened. libibverbs does not list a device without such a folder.
 */
public final class RecordedHost {
    /** The PCI device of a GPU with a coherent link to its processor. */
    private static final int GB200 = 0x2941;

    private static final String HEALTHY = """
        proc/sys/kernel/osrelease: 6.8.0-45-generic
        proc/self/limits: Limit                     Soft Limit           Hard Limit           Units\\nMax open files            1048576              1048576              files\\nMax locked memory         unlimited            unlimited            bytes
        proc/self/status: Name:	java\\nCapEff:	0000000000000000
        proc/self/cgroup: 0::/user.slice
        proc/meminfo: MemTotal:       65000000 kB\\nHugePages_Total:     512\\nHugePages_Free:      500\\nHugepagesize:       2048 kB
        proc/thread-self/status: Cpus_allowed_list:	0-7
        sys/fs/cgroup/user.slice/pids.max: max
        sys/module/ib_core/parameters/netns_mode: Y
        sys/devices/system/cpu/online: 0-7
        sys/devices/system/node/online: 0
        sys/devices/system/node/node0/cpulist: 0-7
        etc/libibverbs.d/mlx5.driver: driver mlx5
        etc/libibverbs.d/rxe.driver: driver rxe
        usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.50.0: x
        usr/lib/x86_64-linux-gnu/libibverbs.so.1 -> libibverbs.so.1.14.50.0
        usr/lib/x86_64-linux-gnu/librdmacm.so.1.3.50.0: x
        usr/lib/x86_64-linux-gnu/librdmacm.so.1 -> librdmacm.so.1.3.50.0
        proc/driver/nvidia/version: NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build
        sys/module/nvidia_peermem/version: 580.95.05
        """;

    private final RecordedMachine files;
    private final Set<Path> forbidden = new HashSet<>();
    private Problem verbsProblem;
    private Problem connectionManagerProblem;
    private Support gpuDirect = Support.YES;
    private boolean cuda = true;
    private Runtime.Version java = Runtime.Version.parse("25.0.5+9");
    private FlowControl.Answer flowControl = new FlowControl.Answer(null, "nobody was asked", Optional.empty());

    private RecordedHost(RecordedMachine files) {
        this.files = files;
    }

    /** The machine that resource {@code machines/NAME.txt} has. */
    public static RecordedHost of(String name, Path root) {
        try (InputStream in = RecordedHost.class.getResourceAsStream("machines/" + name + ".txt")) {
            return new RecordedHost(RecordedMachine.empty(root)
                    .with(HEALTHY)
                    .with(new String(in.readAllBytes(), StandardCharsets.UTF_8)));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The lines {@code # Word: text} of a machine's comments that its verdict consists of. */
    static List<String[]> verdict(String name) throws IOException {
        try (InputStream in = RecordedHost.class.getResourceAsStream("machines/" + name + ".txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.matches("# (Verdict|Usable|Trouble|Note|Gid|Remedy|Nearest|Predict):.*"))
                    .map(line -> line.substring(2).split(": ?", 2))
                    .toList();
        }
    }

    /** Both ports of {@code irdma} have an address, so that the one that is down is missed. */
    static RecordedHost bothPortsOfIrdma(Path root) {
        return of("irdma", root).with("""
                sys/class/infiniband/irdma1/ports/1/gids/1: 0000:0000:0000:0000:0000:ffff:c0a8:650b
                sys/class/infiniband/irdma1/ports/1/gid_attrs/types/1: RoCE v2
                """);
    }

    /** A machine of which nothing can be read. */
    public static RecordedHost empty(Path root) {
        return new RecordedHost(RecordedMachine.empty(root));
    }

    public RecordedHost with(String lines) {
        files.with(lines);
        return this;
    }

    /** Without a file, or a folder with all that is in it. */
    RecordedHost without(String name) {
        try (Stream<Path> found = Files.walk(files.root().resolve(name))) {
            for (Path path : found.sorted((one, other) -> other.compareTo(one)).toList()) {
                Files.delete(path);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return this;
    }

    /** A file that this user may not open: tests run as root, who may. */
    RecordedHost forbidding(String file) {
        forbidden.add(files.root().resolve(file));
        return this;
    }

    RecordedHost noVerbs(String reason, String remedy) {
        verbsProblem = new Problem(reason, remedy);
        return this;
    }

    RecordedHost noConnectionManager(String reason, String remedy) {
        connectionManagerProblem = new Problem(reason, remedy);
        return this;
    }

    /** A GPU that adapters can or cannot reach. */
    public RecordedHost gpu(Support direct) {
        gpuDirect = direct;
        return with("""
            sys/devices/pci0000:01/0000:01:00.0/class: 0x030200
            sys/devices/pci0000:01/0000:01:00.0/vendor: 0x10de
            sys/bus/pci/devices/0000:01:00.0 -> ../../../devices/pci0000:01/0000:01:00.0
            """);
    }

    RecordedHost flowControl(FlowControl found) {
        flowControl = new FlowControl.Answer(found, "", flowControl.pause());
        return this;
    }

    RecordedHost pause(boolean obeys, boolean asks, boolean negotiated) {
        flowControl = new FlowControl.Answer(
                flowControl.flowControl(), flowControl.failure(), Optional.of(new LinkPause(obeys, asks, negotiated)));
        return this;
    }

    RecordedHost java(String version) {
        java = Runtime.Version.parse(version);
        return this;
    }

    RecordedHost noCuda() {
        cuda = false;
        return this;
    }

    Diagnosis diagnosis() {
        return Doctor.examine(sources());
    }

    /** Where the doctor looks. */
    public DoctorSources sources() {
        return new DoctorSources(
                files.root(),
                java,
                file -> !forbidden.contains(file),
                this::adapters,
                () -> Optional.ofNullable(connectionManagerProblem),
                _ -> flowControl,
                this::gpus,
                _ -> Bar1Memory.unknown("no NVML"));
    }

    private GpuInventory gpus() {
        AtomicInteger ordinal = new AtomicInteger();
        return cuda
                ? new GpuInventory(
                        Optional.empty(),
                        13000,
                        Topology.read(files.root().resolve("sys")).gpus().stream()
                                .map(gpu -> new GpuFacts(
                                        ordinal.getAndIncrement(),
                                        "NVIDIA A100",
                                        gpu.address(),
                                        80,
                                        1L << 36,
                                        false,
                                        gpuDirect,
                                        gpuDirect,
                                        gpuDirect,
                                        1,
                                        100,
                                        gpu.device() == GB200))
                                .toList())
                : GpuInventory.unavailable(new Problem("no libcuda.so.1", "install the driver"));
    }

    private AdapterInventory adapters() {
        if (verbsProblem != null) {
            return new AdapterInventory(Optional.of(verbsProblem), List.of());
        }
        List<AdapterFacts> adapters = new ArrayList<>();
        for (String device : names("ibv_devinfo")) {
            Optional<String> problem = text("ibv_devinfo/" + device + "/problem");
            adapters.add(
                    problem.isPresent()
                            ? AdapterFacts.unusable(device, new Problem(problem.get(), "see who may"))
                            : new AdapterFacts(
                                    device, Optional.empty(), gpuDirect, ports(device), Optional.empty(), efa(device)));
        }
        return new AdapterInventory(Optional.empty(), adapters);
    }

    private List<PortFacts> ports(String device) {
        return names("ibv_devinfo/" + device).stream()
                .filter(port -> port.matches("\\d+"))
                .map(port -> new PortFacts(
                        Integer.parseInt(port),
                        mtu(device, port, "active_mtu"),
                        mtu(device, port, "max_mtu"),
                        text("ibv_devinfo/" + device + "/" + port + "/max_msg_sz")
                                .map(Long::parseLong)
                                .orElse(1L << 30)))
                .toList();
    }

    private Optional<EfaDeviceAttributes> efa(String device) {
        return text("ibv_devinfo/" + device + "/efa_device_caps")
                .map(mask -> new EfaDeviceAttributes(
                        4096, 32_768, 2, 4, 32, 1 << 30, EfaCapability.ofMask(Integer.decode(mask))));
    }

    private Mtu mtu(String device, String port, String name) {
        return text("ibv_devinfo/" + device + "/" + port + "/" + name)
                .map(bytes -> Mtu.valueOf("MTU_" + bytes))
                .orElse(Mtu.UNKNOWN);
    }

    private List<String> names(String folder) {
        try (Stream<Path> entries = Files.list(files.root().resolve(folder))) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException _) {
            return List.of();
        }
    }

    private Optional<String> text(String file) {
        try {
            return Optional.of(Files.readString(files.root().resolve(file)).strip());
        } catch (IOException _) {
            return Optional.empty();
        }
    }
}
