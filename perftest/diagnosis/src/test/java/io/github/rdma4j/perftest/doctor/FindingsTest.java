// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import static io.github.rdma4j.perftest.doctor.check.FindingState.FAIL;
import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.OK;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.check.Diagnosis;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.check.FindingState;
import io.github.rdma4j.perftest.doctor.machine.FlowControl;
import io.github.rdma4j.perftest.doctor.machine.Support;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Each state of each finding, on the machine of {@code mlx5-roce.txt} with something changed. */
class FindingsTest {
    private static final String PORT = "sys/class/infiniband/mlx5_0/ports/1/";
    private static final String PCI = "sys/bus/pci/devices/0000:5d:00.0/";
    private static final String LIMITS = "proc/self/limits: Max open files 4096 4096\\nMax locked memory ";
    private static final String IOMMU =
            PCI + "iommu_group -> ../../../kernel/iommu_groups/7\nsys/kernel/iommu_groups/7/";
    /** Placeholders that a reader would have to replace, such as DEVICE in "ip link set DEVICE up". */
    static final String PLACEHOLDER =
            "(?s).*\\b(DEVICE|ADDRESS|LENGTH|GROUP|USER|NAME|IMAGE|NUMBER|HOST|PORT|PRIORITY)\\b.*";

    private static final String NODES = "sys/devices/system/node/online: 0-1\n"
            + "sys/devices/system/node/node0/cpulist: 0-3\nsys/devices/system/node/node1/cpulist: 4-7\n";
    private static final String RDMA_CGROUP = "proc/self/cgroup: 0::/job\nsys/fs/cgroup/job/rdma.max: ";

    /**
     * A row.
     *
     * @param check what is looked at
     * @param state that its first finding must have
     * @param words that are seen
     * @param change to the machine
     */
    private record Row(Check check, FindingState state, String words, UnaryOperator<RecordedHost> change) {
        @Override
        public String toString() {
            return check + " " + state + ": " + words;
        }
    }

    private static Row row(Check check, FindingState state, String words, UnaryOperator<RecordedHost> change) {
        return new Row(check, state, words, change);
    }

    /** With more files. */
    private static Row with(Check check, FindingState state, String words, String lines) {
        return row(check, state, words, host -> host.with(lines));
    }

    private static Row without(Check check, FindingState state, String words, String file) {
        return row(check, state, words, host -> host.without(file));
    }

    /** The device is an Elastic Fabric Adapter. */
    private static RecordedHost efa(RecordedHost host) {
        return host.without(PCI + "driver")
                .with(
                        PCI
                                + "driver -> ../../../bus/pci/drivers/efa\nsys/bus/pci/drivers/efa/\nsys/class/infiniband/mlx5_0/node_type: 7: unspecified");
    }

    private static Row healthy(Check check, String words) {
        return row(check, OK, words, host -> host);
    }

    private static final List<Row> ROWS = List.of(
            healthy(Check.LIBIBVERBS, "rdma-core 50, /usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.50.0"),
            row(Check.LIBIBVERBS, FAIL, "no such file", host -> host.noVerbs("no such file", "apt-get install")),
            with(
                    Check.LIBIBVERBS,
                    OK,
                    "rdma-core 57, /opt/lib/libibverbs.so.1.14.57.0",
                    "proc/self/maps: 7f00-7f01 r-xp 00000000 08:01 77   /opt/lib/libibverbs.so.1.14.57.0"),
            healthy(Check.LIBRDMACM, "rdma-core 50"),
            row(Check.LIBRDMACM, FAIL, "no such file", host -> host.noConnectionManager("no such file", "install")),
            healthy(Check.PROVIDERS, "user-space drivers: mlx5 rxe"),
            row(Check.PROVIDERS, FAIL, "does not list mlx5_0", host -> host.without("ibv_devinfo/mlx5_0")),
            row( // a container whose image has an older driver
                    Check.PROVIDERS,
                    FAIL,
                    "does not list mlx5_0, for which the kernel's driver has ABI 6; user-space drivers: mlx5",
                    host -> host.without("ibv_devinfo/mlx5_0")
                            .with("sys/class/infiniband_verbs/uverbs0/abi_version: 6")),
            row( // a container whose image has the providers, and which has no devices
                    Check.PROVIDERS,
                    UNKNOWN,
                    "does not list mlx5_0",
                    host -> host.without("ibv_devinfo/mlx5_0").without("dev/infiniband/uverbs0")),
            row(
                    Check.PROVIDERS,
                    UNKNOWN,
                    "user-space drivers: mlx5 rxe",
                    host -> host.noVerbs("no such file", "install")),
            row(Check.PROVIDERS, UNKNOWN, "no user-space driver", host -> host.without("etc/libibverbs.d")),
            row(
                    Check.PROVIDERS,
                    OK,
                    "user-space drivers: mlx5",
                    host -> host.without("etc/libibverbs.d")
                            .with("usr/lib/x86_64-linux-gnu/libibverbs/libmlx5-rdmav34.so: x")),
            healthy(Check.JDK, "JDK 25.0.5+9"),
            row(Check.JDK, WARNING, "JDK 25.0.2+10: G1 can corrupt arrays", host -> host.java("25.0.2+10")),
            row(Check.JDK, WARNING, "JDK-8377811", host -> host.java("25+36")),
            row(Check.JDK, OK, "JDK 25.0.3+9", host -> host.java("25.0.3+9")),
            row(Check.JDK, OK, "JDK 26+35", host -> host.java("26+35")),
            healthy(Check.RDMA_DEVICES, "mlx5_0"),
            without(Check.RDMA_DEVICES, FAIL, "ib_core", "sys/class/infiniband"),
            row(
                    Check.RDMA_DEVICES,
                    FAIL,
                    "no known RDMA adapter",
                    host -> host.without("sys/class/infiniband").without("sys/bus/pci/devices")),
            without(Check.RDMA_DEVICES, FAIL, "sysfs is not mounted", "sys"),
            row(
                    Check.RDMA_DEVICES,
                    FAIL,
                    "0000:5d:00.0 has no driver",
                    host -> host.without("sys/class/infiniband").without(PCI + "driver")),
            row(
                    Check.RDMA_DEVICES,
                    FAIL,
                    "there is no /sys/class/infiniband: the kernel's RDMA core (ib_core) is not loaded; the adapter"
                            + " 0000:5d:00.0 has the driver mlx5_core",
                    host -> host.without("sys/class/infiniband")),
            row(
                    Check.RDMA_DEVICES,
                    FAIL,
                    "/sys/class/infiniband lists no device; mlx5_ib is loaded but has created no RDMA device for the adapter 0000:5d:00.0",
                    host -> host.without("sys/class/infiniband")
                            .with("sys/class/infiniband/\nsys/module/mlx5_ib/initstate: live")),
            healthy(Check.UVERBS, "uverbs0 can be read and written"),
            without(Check.UVERBS, FAIL, "ib_uverbs is not loaded", "sys/class/infiniband_verbs"),
            row(
                    Check.UVERBS,
                    FAIL,
                    "they are being removed",
                    host -> host.without("sys/class/infiniband_verbs/uverbs0")
                            .with("sys/class/infiniband_verbs/abi_version: 6")),
            without(Check.UVERBS, FAIL, "/dev/infiniband has no uverbs0", "dev/infiniband/uverbs0"),
            row(
                    Check.UVERBS,
                    FAIL,
                    "this user may not read and write /dev/infiniband/uverbs0",
                    host -> host.forbidding("dev/infiniband/uverbs0")),
            with(
                    Check.UVERBS,
                    NOTE,
                    "/dev/infiniband has no file for mlx5_1",
                    "sys/class/infiniband/mlx5_1/node_type: 1: CA\nsys/class/infiniband_verbs/uverbs1/ibdev: mlx5_1"),
            healthy(Check.RDMA_CM, "rdma_cm can be read and written"),
            row(
                    Check.RDMA_CM,
                    UNKNOWN,
                    "see uverbs",
                    host -> host.forbidding("dev/infiniband/rdma_cm").forbidding("dev/infiniband/uverbs0")),
            row(
                    Check.RDMA_CM,
                    FAIL,
                    "rdma_ucm is not loaded",
                    host -> host.without("sys/class/misc/rdma_cm").without("dev/infiniband/rdma_cm")),
            row(
                    Check.RDMA_CM,
                    NOTE,
                    "rdma_ucm is not loaded",
                    host -> efa(host).without("sys/class/misc/rdma_cm").without("dev/infiniband/rdma_cm")),
            without(Check.RDMA_CM, FAIL, "has no rdma_cm", "dev/infiniband/rdma_cm"),
            row(Check.RDMA_CM, FAIL, "may not", host -> host.forbidding("dev/infiniband/rdma_cm")),
            healthy(Check.DEVICE, "firmware 14.28.2006"),
            with(Check.DEVICE, NOTE, "node type RNIC", "sys/class/infiniband/mlx5_0/node_type: 4: RNIC"),
            with(Check.DEVICE, WARNING, "unspecified", "sys/class/infiniband/mlx5_0/node_type: 7: unspecified"),
            with(
                    Check.DEVICE,
                    WARNING,
                    "firmware 14.28.2006, node GUID 0",
                    "sys/class/infiniband/mlx5_0/node_guid: 0000:0000:0000:0000"),
            row(Check.DEVICE, NOTE, "driver efa", FindingsTest::efa),
            with(Check.DEVICE, FAIL, "EACCES", "ibv_devinfo/mlx5_0/problem: EACCES"),
            with(Check.DEVICE, WARNING, "usNIC", "sys/class/infiniband/mlx5_0/node_type: 6: usNIC UDP"),
            without(Check.DEVICE, UNKNOWN, "see providers", "ibv_devinfo/mlx5_0"),
            row(Check.DEVICE, UNKNOWN, "see libibverbs", host -> host.noVerbs("no such file", "apt-get install")),
            row(
                    Check.DEVICE,
                    FAIL,
                    "it has no uverbs",
                    host -> host.without("ibv_devinfo/mlx5_0")
                            .with("sys/class/infiniband_verbs/uverbs0/ibdev: mlx5_7")),
            row(Check.EFA, UNKNOWN, "libefa does not report", FindingsTest::efa),
            row(
                    Check.EFA,
                    OK,
                    "RDMA reads and writes, up to 1 GiB",
                    host -> efa(host).with("ibv_devinfo/mlx5_0/efa_device_caps: 0xf")),
            row(
                    Check.EFA,
                    WARNING,
                    "no RDMA writes",
                    host -> efa(host).with("ibv_devinfo/mlx5_0/efa_device_caps: 0x1")),
            row(
                    Check.EFA,
                    WARNING,
                    "no RDMA reads and no RDMA writes",
                    host -> efa(host).with("ibv_devinfo/mlx5_0/efa_device_caps: 0")),
            healthy(Check.PORT, "ACTIVE, ACTIVE, Ethernet, 25 Gb/sec (1X EDR)"),
            with(Check.PORT, WARNING, "25 Gb/sec (1X EDR)", PORT + "link_layer: InfiniBand"),
            with(
                    Check.PORT,
                    WARNING,
                    "10 Gb/sec (4X SDR)",
                    PORT + "link_layer: InfiniBand\n" + PORT + "rate: 10 Gb/sec (4X SDR)"),
            with(
                    Check.PORT,
                    OK,
                    "200 Gb/sec (2X NDR)",
                    PORT + "link_layer: InfiniBand\n" + PORT + "rate: 200 Gb/sec (2X NDR)"),
            with(
                    Check.PORT,
                    OK,
                    "50 Gb/sec (1X HDR)",
                    PORT + "link_layer: Unspecified\n" + PORT + "rate: 50 Gb/sec (1X HDR)"),
            with(Check.PORT, FAIL, "DOWN", PORT + "state: 1: DOWN"),
            row(
                    Check.PORT,
                    FAIL,
                    "raw Ethernet packets only",
                    host -> host.without(PORT + "gids").with(PORT + "gids/")),
            with(Check.PORT, FAIL, "INIT", PORT + "state: 2: INIT\n" + PORT + "link_layer: InfiniBand"),
            with(
                    Check.PORT,
                    NOTE,
                    "DOWN, Polling, InfiniBand: not in use",
                    PORT + "state: 1: DOWN\n" + PORT + "phys_state: 2: Polling\n" + PORT
                            + "link_layer: InfiniBand\nsys/class/infiniband/mlx5_0/ports/2/state: 4: ACTIVE"),
            with(
                    Check.PORT,
                    FAIL,
                    "INIT",
                    PORT + "state: 2: INIT\n" + PORT
                            + "link_layer: InfiniBand\nsys/class/infiniband/mlx5_0/ports/2/state: 4: ACTIVE"),
            with(
                    Check.PORT,
                    FAIL,
                    "DOWN",
                    PORT + "state: 1: DOWN\nsys/class/infiniband/mlx5_0/ports/2/state: 4: ACTIVE"),
            with(
                    Check.PORT,
                    OK,
                    "25 Gb/sec (1X EDR) of one of its links; the bond ens1f0 (a, b) has 50 Gbit/s",
                    "sys/class/net/ens1f0/bonding/slaves: a b\nsys/class/net/ens1f0/speed: 50000"),
            with(
                    Check.PORT,
                    OK,
                    "the bond ens1f0 (a, b) has a rate that the kernel does not report",
                    "sys/class/net/ens1f0/bonding/slaves: a b\nsys/class/net/ens1f0/speed: -1"),
            without(Check.PORT, UNKNOWN, "cannot be read", PORT + "state"),
            healthy(Check.INTERFACE, "ens1f0 is up, MTU 9000"),
            with(
                    Check.INTERFACE,
                    FAIL,
                    "ens1f0 is switched off",
                    "sys/class/net/ens1f0/operstate: down\nsys/class/net/ens1f0/flags: 0x1002"),
            with(Check.INTERFACE, FAIL, "ens1f0 is down", "sys/class/net/ens1f0/operstate: down"),
            with(Check.INTERFACE, FAIL, "ens1f0 is lowerlayerdown", "sys/class/net/ens1f0/operstate: lowerlayerdown"),
            with(
                    Check.INTERFACE,
                    WARNING,
                    "ens1f0 is up, MTU 9000; in this bond, no link: b",
                    "sys/class/net/ens1f0/bonding/slaves: a b\nsys/class/net/a/operstate: up\n"
                            + "sys/class/net/b/operstate: down"),
            without(Check.INTERFACE, FAIL, "not in this network namespace", "sys/class/net/ens1f0"),
            without(Check.INTERFACE, UNKNOWN, "names no network interface", PORT + "gid_attrs/ndevs"),
            healthy(Check.MTU, "4096 of 4096 bytes"),
            with(Check.MTU, NOTE, "1024 of 4096 bytes", "ibv_devinfo/mlx5_0/1/active_mtu: 1024"),
            without(Check.MTU, UNKNOWN, "does not report the path MTU", "ibv_devinfo/mlx5_0/1"),
            healthy(Check.GID, "use index 5, "),
            with( // a container that shares the device
                    Check.GID,
                    OK,
                    "use index 7, 0000:0000:0000:0000:0000:ffff:0a01:0203 (10.1.2.3), RoCE v2 on net1",
                    PORT + "gids/7: 0000:0000:0000:0000:0000:ffff:0a01:0203\n" + PORT
                            + "gid_attrs/types/7: RoCE v2\n" + PORT + "gid_attrs/ndevs/7: net1\n" + PORT
                            + "gid_attrs/ndevs/5: host0\nsys/class/net/net1/operstate: up"),
            row(
                    Check.GID,
                    WARNING,
                    "use index 1, ",
                    host -> host.without(PORT + "gids/4").without(PORT + "gids/5")),
            row(
                    Check.GID,
                    WARNING,
                    "RoCE v1",
                    host -> host.without(PORT + "gids/1")
                            .without(PORT + "gids/3")
                            .without(PORT + "gids/5")),
            without(Check.GID, FAIL, "the port has no GID", PORT + "gids"),
            row(
                    Check.GID,
                    NOTE,
                    "it is a backup link of bond0, whose active link is ens2f0",
                    host -> host.without(PORT + "gids")
                            .with("sys/class/net/ens1f0/master -> ../bond0\n"
                                    + "sys/class/net/bond0/bonding/active_slave: ens2f0\n"
                                    + "sys/class/infiniband/mlx5_0/device/net/ens1f0/dev_port: 0")),
            with(Check.GID, WARNING, "(127.0.0.1)", PORT + "gids/5: 0000:0000:0000:0000:0000:ffff:7f00:0001"),
            healthy(Check.ROCE_MODE, "no mode is set for rdma_cm"),
            with(
                    Check.ROCE_MODE,
                    OK,
                    "by RoCE v2",
                    "sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_mode: RoCE v2"),
            with(
                    Check.ROCE_MODE,
                    WARNING,
                    "by IB/RoCE v1",
                    "sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_mode: IB/RoCE v1"),
            healthy(Check.LOCKED_MEMORY, "unlimited"),
            with(
                    Check.LOCKED_MEMORY,
                    OK,
                    "8 MiB; CAP_IPC_LOCK exempts",
                    LIMITS + "8388608 8388608\nproc/self/status: CapEff:	0000000000004000"),
            with(
                    Check.LOCKED_MEMORY,
                    WARNING,
                    "8 MiB",
                    LIMITS + "8388608 8388608\nproc/self/status: CapEff:	0000000000004000\n"
                            + "proc/self/uid_map:          0       1000          1"),
            with(
                    Check.LOCKED_MEMORY,
                    OK,
                    "8 MiB; CAP_IPC_LOCK exempts",
                    LIMITS + "8388608 8388608\nproc/self/status: CapEff:	0000000000004000\n"
                            + "proc/self/uid_map:          0          0 4294967295"),
            with(Check.LOCKED_MEMORY, OK, "2 GiB", LIMITS + "2147483648 unlimited"),
            with(Check.LOCKED_MEMORY, WARNING, "8 MiB, hard limit unlimited", LIMITS + "8388608 unlimited"),
            with(Check.LOCKED_MEMORY, FAIL, "64 KiB", LIMITS + "65536 65536"),
            with(Check.LOCKED_MEMORY, UNKNOWN, "does not list this limit", "proc/self/limits: none"),
            healthy(Check.RDMA_CGROUP, "no control group"),
            with(Check.RDMA_CGROUP, OK, "hca_object=max", RDMA_CGROUP + "mlx5_0 hca_handle=max hca_object=max"),
            with(Check.RDMA_CGROUP, OK, "no device of this machine", RDMA_CGROUP + "mlx5_9 hca_handle=1 hca_object=1"),
            with(
                    Check.RDMA_CGROUP,
                    WARNING,
                    "in use: hca_handle=1",
                    RDMA_CGROUP + "mlx5_0 hca_handle=2 hca_object=max\n"
                            + "sys/fs/cgroup/job/rdma.current: mlx5_0 hca_handle=1 hca_object=20"),
            with(
                    Check.RDMA_CGROUP,
                    FAIL,
                    "in use: hca_handle=2",
                    "proc/self/cgroup: 0::/\\n5:rdma:/job/inner\n"
                            + "sys/fs/cgroup/rdma/job/rdma.max: mlx5_0 hca_handle=2 hca_object=max\n"
                            + "sys/fs/cgroup/rdma/job/rdma.current: mlx5_0 hca_handle=2 hca_object=20"),
            with(
                    Check.RDMA_CGROUP,
                    WARNING,
                    "hca_handle=2",
                    "proc/self/cgroup: 0::/job/inner\n"
                            + "sys/fs/cgroup/job/inner/rdma.max: mlx5_0 hca_handle=max hca_object=max\n"
                            + "sys/fs/cgroup/job/rdma.max: mlx5_0 hca_handle=2 hca_object=max"),
            healthy(Check.OPEN_FILES, "1048576"),
            with(Check.OPEN_FILES, NOTE, "1024", "proc/self/limits: Max open files 1024 4096"),
            without(Check.OPEN_FILES, UNKNOWN, "does not list this limit", "proc/self/limits"),
            healthy(Check.THREADS, "no control group"),
            with(
                    Check.THREADS,
                    OK,
                    "10 of 100 threads",
                    "sys/fs/cgroup/user.slice/pids.max: 100\nsys/fs/cgroup/user.slice/pids.current: 10"),
            with(
                    Check.THREADS,
                    WARNING,
                    "95 of 100 threads",
                    "sys/fs/cgroup/user.slice/pids.max: 100\nsys/fs/cgroup/user.slice/pids.current: 95"),
            with(
                    Check.THREADS,
                    WARNING,
                    "95 of 100 threads",
                    "proc/self/cgroup: 0::/user.slice/session.scope\nsys/fs/cgroup/user.slice/session.scope/pids.max: max\n"
                            + "sys/fs/cgroup/user.slice/pids.max: 100\nsys/fs/cgroup/user.slice/pids.current: 95"),
            healthy(Check.NAMESPACES, "shared"),
            with(Check.NAMESPACES, NOTE, "exclusive", "sys/module/ib_core/parameters/netns_mode: N"),
            without(Check.NAMESPACES, UNKNOWN, "does not report it", "sys/module/ib_core"),
            healthy(Check.CONTAINER, "no container engine"),
            with(Check.CONTAINER, NOTE, "/run/.containerenv", "run/.containerenv: x"),
            healthy(Check.HUGE_PAGES, "512 of 2048 kB, 500 free"),
            with(
                    Check.HUGE_PAGES,
                    NOTE,
                    "no huge pages are reserved; transparent huge pages: madvise",
                    "proc/meminfo: HugePages_Total:       0\n"
                            + "sys/kernel/mm/transparent_hugepage/enabled: always [madvise] never"),
            without(Check.HUGE_PAGES, UNKNOWN, "does not list", "proc/meminfo"),
            healthy(Check.IOMMU, "no IOMMU is in use"),
            with(Check.IOMMU, OK, "groups of the adapters: identity", IOMMU + "type: identity"),
            with(Check.IOMMU, WARNING, "groups of the adapters: DMA-FQ", IOMMU + "type: DMA-FQ"),
            with(Check.IOMMU, UNKNOWN, "the type of IOMMU group 7", IOMMU + "devices: x"),
            with(Check.IOMMU, OK, "in no IOMMU group", "sys/kernel/iommu_groups/9/type: DMA"),
            healthy(Check.PCI_LINK, "8.0 GT/s x8: 63 Gbit/s"),
            with(Check.PCI_LINK, WARNING, "x2 of 8.0 GT/s x8", PCI + "current_link_width: 2"),
            with(
                    Check.PCI_LINK,
                    OK,
                    "x4 of 8.0 GT/s x8: 32 Gbit/s, enough for the 25 Gbit/s of the card's ports",
                    PCI + "current_link_width: 4"),
            with(Check.PCI_LINK, UNKNOWN, "does not report", PCI + "current_link_speed: Unknown"),
            healthy(Check.NUMA, "one NUMA node"),
            with(Check.NUMA, OK, "all of them on that node", NODES + "proc/thread-self/status: Cpus_allowed_list:	1-2"),
            with(Check.NUMA, NOTE, "of these, 0-3 are on that node", NODES),
            with(
                    Check.NUMA,
                    WARNING,
                    "none of them on that node",
                    NODES + "proc/thread-self/status: Cpus_allowed_list:	4-7"),
            with(Check.NUMA, UNKNOWN, "firmware does not report", NODES + PCI + "numa_node: -1"),
            healthy(Check.INTERRUPTS, "2 interrupt vectors, all to CPUs of the adapter's node"),
            with(
                    Check.INTERRUPTS,
                    NOTE,
                    "1 of 2 interrupt vectors go to CPUs of another node",
                    NODES + "proc/irq/97/effective_affinity_list: 5"),
            without(Check.INTERRUPTS, UNKNOWN, "does not show which CPUs", PCI + "msi_irqs"),
            healthy(Check.GOVERNOR, "does not control CPU frequencies"),
            with(
                    Check.GOVERNOR,
                    OK,
                    "performance",
                    "sys/devices/system/cpu/cpu3/cpufreq/scaling_governor: performance"),
            with(
                    Check.GOVERNOR,
                    WARNING,
                    "schedutil",
                    "sys/devices/system/cpu/cpu3/cpufreq/scaling_governor: schedutil"),
            with(
                    Check.FLOW_CONTROL,
                    UNKNOWN,
                    "nobody was asked; priorities are taken from dscp",
                    "sys/class/net/ens1f0/qos/trust: dscp"),
            row(
                    Check.FLOW_CONTROL,
                    OK,
                    "PFC is on for priorities 3 5; 7 pauses sent, 1,234 received; for packets of DSCP 24 26",
                    host -> host.flowControl(flowControl(0b101000, OptionalInt.of(0b101000), 7, 1234))),
            row(
                    Check.FLOW_CONTROL,
                    OK,
                    "PFC is on for priorities 3; for packets of DSCP 24 26",
                    host -> host.flowControl(flowControl(0b1000, OptionalInt.empty(), 0, 0))),
            row(
                    Check.FLOW_CONTROL,
                    WARNING,
                    "PFC is on for priorities 3; for packets of DSCP 24 26; at the switch it is on for 4",
                    host -> host.flowControl(flowControl(0b1000, OptionalInt.of(0b10000), 0, 0))),
            row(
                    Check.FLOW_CONTROL,
                    WARNING,
                    "PFC is off for all priorities; at the switch it is on for 3",
                    host -> host.flowControl(flowControl(0, OptionalInt.of(0b1000), 0, 0))),
            row(
                    Check.FLOW_CONTROL,
                    NOTE,
                    "PFC is off for all priorities; 0 pauses sent, 2 received",
                    host -> host.flowControl(flowControl(0, OptionalInt.empty(), 0, 2))),
            row(
                    Check.FLOW_CONTROL,
                    WARNING,
                    "PFC is off for all priorities; global pause off",
                    host -> host.flowControl(flowControl(0, OptionalInt.empty(), 0, 0))
                            .pause(false, false, false)),
            row(
                    Check.FLOW_CONTROL,
                    NOTE,
                    "PFC is off for all priorities; global pause off",
                    host -> host.flowControl(flowControl(0, OptionalInt.empty(), 0, 0))
                            .pause(false, false, false)
                            .with(
                                    "sys/class/net/ens1f0/ecn/roce_np/enable/3: 1\nsys/class/net/ens1f0/ecn/roce_rp/enable/3: 1")),
            row(
                    Check.FLOW_CONTROL,
                    NOTE,
                    "PFC is off for all priorities; global pause on only for sending",
                    host -> host.flowControl(flowControl(0, OptionalInt.empty(), 0, 0))
                            .pause(true, false, false)),
            row(
                    Check.FLOW_CONTROL,
                    OK,
                    "PFC is off for all priorities; global pause on, as this end offers it in link negotiation",
                    host -> host.flowControl(flowControl(0, OptionalInt.empty(), 0, 0))
                            .pause(true, true, true)),
            row(Check.FLOW_CONTROL, OK, "nobody was asked; global pause on", host -> host.pause(true, true, false)),
            row(
                    Check.FLOW_CONTROL,
                    UNKNOWN,
                    "nobody was asked; global pause on only for receiving",
                    host -> host.pause(false, true, false)),
            with(
                    Check.ECN,
                    OK,
                    "notification (roce_np): 3; with reaction (roce_rp): 3",
                    "sys/class/net/ens1f0/ecn/roce_np/enable/3: 1\nsys/class/net/ens1f0/ecn/roce_rp/enable/3: 1"),
            with(
                    Check.ECN,
                    WARNING,
                    "notification (roce_np): none; with reaction (roce_rp): none",
                    "sys/class/net/ens1f0/ecn/roce_np/enable/3: 0\nsys/class/net/ens1f0/ecn/roce_rp/enable/3: 0"),
            row(Check.ECN, UNKNOWN, "the driver has no files", host -> host),
            with(
                    Check.TRAFFIC_CLASS,
                    OK,
                    "traffic class 106, DSCP 26",
                    "sys/class/infiniband/mlx5_0/tc/1/traffic_class: Global tclass=106"),
            with(
                    Check.TRAFFIC_CLASS,
                    NOTE,
                    "no traffic class is set",
                    "sys/class/infiniband/mlx5_0/tc/1/traffic_class: \\n"),
            row(Check.TRAFFIC_CLASS, UNKNOWN, "the driver has no file", host -> host),
            row(Check.COUNTERS, OK, "none of 7 counters shows", host -> host.without(PORT + "hw_counters")),
            row(Check.COUNTERS, NOTE, "duplicate_request 41, in 11,449,811,940 packets", host -> host),
            row(
                    Check.COUNTERS,
                    WARNING,
                    "symbol_error 9,000",
                    host -> host.without(PORT + "hw_counters")
                            .with(PORT + "counters/symbol_error: 9000\n" + PORT + "counters/port_xmit_packets: 1")),
            row(
                    Check.COUNTERS,
                    WARNING,
                    "local_link_integrity_errors 15, the counter's maximum",
                    host -> host.without(PORT + "hw_counters")
                            .with(PORT + "counters/local_link_integrity_errors: 15\n" + PORT
                                    + "counters/port_xmit_packets: 99999999999")),
            row(
                    Check.COUNTERS,
                    NOTE,
                    "duplicate_request 255, in",
                    host -> host.with(PORT + "hw_counters/duplicate_request: 255")),
            row(
                    Check.COUNTERS,
                    NOTE,
                    "link_downed 9",
                    host -> host.without(PORT + "hw_counters").with(PORT + "counters/link_downed: 9")),
            row(
                    Check.COUNTERS,
                    WARNING,
                    "link_downed 10",
                    host -> host.without(PORT + "hw_counters").with(PORT + "counters/link_downed: 10")),
            row(
                    Check.COUNTERS,
                    WARNING,
                    "unresponsive_remote_events 10",
                    host -> host.without(PORT + "hw_counters")
                            .with(PORT + "hw_counters/unresponsive_remote_events: 10")),
            row(
                    Check.COUNTERS,
                    NOTE,
                    "retrans_pkts 9,000,000",
                    host -> host.without(PORT + "hw_counters").with(PORT + "hw_counters/retrans_pkts: 9000000")),
            row(
                    Check.COUNTERS,
                    UNKNOWN,
                    "no counter of the port can be read",
                    host -> host.without(PORT + "hw_counters").without(PORT + "counters")),
            row(Check.GPUDIRECT, NOTE, "no NVIDIA GPU", host -> host),
            row(Check.GPUDIRECT, OK, "in 1 of 1 pairs", host -> host.gpu(Support.YES)),
            row(Check.GPUDIRECT, WARNING, "through host memory", host -> host.gpu(Support.NO)),
            row(
                    Check.GPUDIRECT,
                    WARNING,
                    "no GPU can be used",
                    host -> host.gpu(Support.YES).noCuda()));

    @TempDir
    private Path root;

    @ParameterizedTest
    @FieldSource("ROWS")
    void findingDescribesTheMachine(Row row) {
        Diagnosis diagnosis =
                row.change.apply(RecordedHost.of("mlx5-roce", root)).diagnosis();
        Finding finding = diagnosis.findings().stream()
                .filter(found -> found.check() == row.check)
                .findFirst()
                .orElseThrow();
        assertThat(finding.state()).as(finding.toString()).isEqualTo(row.state);
        assertThat(finding.seen()).contains(row.words);
        assertThat(finding.source()).isNotEmpty();
        for (Finding each : diagnosis.findings()) {
            assertThat(each.remedy()).as(each.toString()).doesNotMatch(PLACEHOLDER);
        }
        if (finding.isTrouble()) {
            assertThat(finding.meaning()).isNotEmpty();
            assertThat(finding.remedy()).isNotEmpty();
        }
        if (finding.state() == OK) {
            assertThat(finding.remedy()).isEmpty();
        }
    }

    /** Checks of two machines are tested between machines, and checks of GPUs have their own tests. */
    private static List<Check> ofOneMachine() {
        return Arrays.stream(Check.values())
                .filter(check -> check.section().compareTo(Check.Section.GPUDIRECT) < 0 || check == Check.GPUDIRECT)
                .toList();
    }

    @Test
    void onePermissionFaultIsReportedOnce() {
        Diagnosis diagnosis = RecordedHost.of("h100-infiniband", root)
                .with("ibv_devinfo/mlx5_0/problem: EACCES\nibv_devinfo/mlx5_1/problem: EACCES")
                .forbidding("dev/infiniband/uverbs0")
                .forbidding("dev/infiniband/uverbs1")
                .forbidding("dev/infiniband/rdma_cm")
                .diagnosis();
        List<Finding> reported = diagnosis.trouble().stream()
                .filter(finding -> finding.check().section().compareTo(Check.Section.DEVICES) < 0
                        || finding.check() == Check.DEVICE)
                .toList();
        assertThat(reported).hasSize(1);
        assertThat(reported.getFirst().seen())
                .isEqualTo("this user may not read and write /dev/infiniband/uverbs0, uverbs1, rdma_cm");
        assertThat(reported.getFirst().meaning())
                .isEqualTo("no program of this user can open mlx5_0, mlx5_1, or connect by rdma_cm");
        assertThat(diagnosis.usablePorts()).isEmpty();
    }

    @Test
    void containerWithoutDevicesIsReportedOnce() {
        Diagnosis diagnosis = RecordedHost.of("mlx5-roce", root)
                .without("dev/infiniband")
                .without("ibv_devinfo/mlx5_0")
                .diagnosis();
        assertThat(diagnosis.trouble()).extracting(Finding::check).containsExactly(Check.UVERBS);
        assertThat(diagnosis.trouble().getFirst().seen()).isEqualTo("/dev/infiniband has no uverbs0, rdma_cm");
    }

    @Test
    void eachStateHasARow() {
        for (Check check : ofOneMachine()) {
            Set<FindingState> states = ROWS.stream()
                    .filter(row -> row.check == check)
                    .map(Row::state)
                    .collect(Collectors.toSet());
            assertThat(states).as(check.key()).isEqualTo(check.states());
        }
    }

    @Test
    void stateThatACheckDoesNotHaveIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Finding(Check.LIBIBVERBS, "", "/", WARNING, "seen", "", ""))
                .withMessage("LIBIBVERBS cannot be WARNING");
    }

    @Test
    void findingsComeInTheOrderOfFailure() {
        List<Check> order = RecordedHost.of("mlx5-roce", root).diagnosis().findings().stream()
                .map(Finding::check)
                .distinct()
                .toList();
        assertThat(order)
                .isEqualTo(ofOneMachine().stream()
                        .filter(check -> check != Check.EFA)
                        .toList());
    }

    /** A healthy machine with no adapter and one of which nothing can be read: nothing is thrown. */
    @Test
    void nothingToRead() {
        Diagnosis diagnosis = RecordedHost.empty(root).diagnosis();
        assertThat(diagnosis.usablePorts()).isEmpty();
        assertThat(diagnosis.trouble()).extracting(Finding::check).containsExactly(Check.RDMA_DEVICES);
    }

    private static FlowControl flowControl(int priorities, OptionalInt atSwitch, long sent, long received) {
        return new FlowControl(priorities, atSwitch, sent, received, new TreeMap<>(Map.of(8, 1, 24, 3, 26, 3)));
    }
}
