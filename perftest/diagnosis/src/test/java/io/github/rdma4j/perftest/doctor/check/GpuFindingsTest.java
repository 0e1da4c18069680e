// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.Check.*;
import static io.github.rdma4j.perftest.doctor.check.Check.ADAPTER_DATA_DIRECT;
import static io.github.rdma4j.perftest.doctor.check.Check.CUDA_VISIBLE;
import static io.github.rdma4j.perftest.doctor.check.Check.GPU_MIG;
import static io.github.rdma4j.perftest.doctor.check.Check.PLATFORM;
import static io.github.rdma4j.perftest.doctor.check.FindingState.*;
import static io.github.rdma4j.perftest.doctor.check.Scenario.at;
import static io.github.rdma4j.perftest.doctor.check.Scenario.attributes;
import static io.github.rdma4j.perftest.doctor.check.Scenario.memory;
import static io.github.rdma4j.perftest.doctor.check.Scenario.named;
import static io.github.rdma4j.perftest.doctor.check.Scenario.ordering;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.gpudirect.Bar1Memory;
import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.perftest.doctor.machine.AdapterFacts;
import io.github.rdma4j.perftest.doctor.machine.Problem;
import io.github.rdma4j.perftest.doctor.machine.Support;
import io.github.rdma4j.verbs.device.DataDirectSupport;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each finding of GPUDirect in each of its states. */
class GpuFindingsTest {
    private static final String SWITCH = "one-switch";
    private static final String H100 = "hgx-h100";
    private static final String ACS = "switch-with-acs";
    private static final String DESK = "workstation";
    private static final String DRIVER_FILE = "proc/driver/nvidia/version";
    private static final String PCI = "sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/";

    @TempDir
    private Path root;

    /** A change of a machine, and the finding that it causes. */
    record Row(Check check, FindingState state, String seen, String machine, UnaryOperator<Scenario> change) {
        @Override
        public String toString() {
            return check.key() + " " + state + ": " + seen;
        }
    }

    private static Row row(
            Check check, FindingState state, String seen, String machine, UnaryOperator<Scenario> change) {
        return new Row(check, state, seen, machine, change);
    }

    private static Row row(Check check, FindingState state, String seen, UnaryOperator<Scenario> change) {
        return row(check, state, seen, SWITCH, change);
    }

    private static Row healthy(Check check, String seen) {
        return row(check, OK, seen, machine -> machine);
    }

    static List<Row> rows() {
        return Stream.of(hostRows(), storageRows(), ncclRows(), driverRows(), gpuRows(), adapterRows(), pairRows())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Row> ncclRows() {
        String environment = "proc/self/environ: ";
        return List.of(
                row(NCCL, OK, "/usr/lib64/libnccl.so.2 is libnccl.so.2", m -> m.with("usr/lib64/libnccl.so.2: x")),
                row(NCCL, NOTE, "in none of the usual folders", m -> m),
                row(NCCL_SETTINGS, OK, "no variable", m -> m.with(environment + "NCCL_DEBUG=INFO")),
                row(NCCL_SETTINGS, NOTE, "NCCL_IB_HCA=mlx5_1", m -> m.with(environment + "NCCL_IB_HCA=mlx5_1")),
                row(
                        NCCL_SETTINGS,
                        NOTE,
                        "NCCL_NET_GDR_LEVEL=PHB",
                        m -> m.with(environment + "A=1").with("etc/nccl.conf: NCCL_NET_GDR_LEVEL=PHB")),
                row(
                        NCCL_SETTINGS,
                        WARNING,
                        "NCCL_IB_DISABLE=1: no RDMA, NCCL reaches other machines over TCP",
                        m -> m.with(environment + "NCCL_IB_DISABLE=1")),
                row(
                        NCCL_SETTINGS,
                        WARNING,
                        "NCCL_NET_GDR_LEVEL=LOC: no GPUDirect RDMA",
                        m -> m.with(environment + "NCCL_NET_GDR_LEVEL=LOC")),
                row(NCCL_SETTINGS, UNKNOWN, "/proc/self/environ cannot be read", m -> m));
    }

    private static List<Row> storageRows() {
        String mounts = "proc/self/mounts: ";
        return List.of(
                row(
                        CUFILE,
                        OK,
                        "/usr/local/cuda/lib64/libcufile.so.0 is libcufile.so.0",
                        m -> m.with("usr/local/cuda/lib64/libcufile.so.0: x")),
                row(CUFILE, NOTE, "in none of the usual folders", m -> m),
                row(
                        NVIDIA_FS,
                        OK,
                        "nvidia-fs 2.20 is loaded",
                        m -> m.with("proc/driver/nvidia-fs/version: version: 2.20")),
                row(NVIDIA_FS, OK, "nvidia-fs 2.17.5 is loaded", m -> m.with("sys/module/nvidia_fs/version: 2.17.5")),
                row(NVIDIA_FS, NOTE, "neither", m -> m),
                row(
                        CUFILE_COMPATIBILITY,
                        OK,
                        "/etc/cufile.json allows",
                        m -> m.with("etc/cufile.json: { \"properties\": { \"allow_compat_mode\": true } }")),
                row(
                        CUFILE_COMPATIBILITY,
                        NOTE,
                        "/usr/local/cuda/gds/cufile.json forbids",
                        m -> m.with("usr/local/cuda/gds/cufile.json: \"allow_compat_mode\" : false,")),
                row(
                        CUFILE_COMPATIBILITY,
                        NOTE,
                        "/opt/my.json forbids",
                        m -> m.with("proc/self/environ: CUFILE_ENV_PATH_JSON=/opt/my.json")
                                .with("etc/cufile.json: \"allow_compat_mode\": true")
                                .with("opt/my.json: \"allow_compat_mode\": false")),
                row(CUFILE_COMPATIBILITY, UNKNOWN, "neither", m -> m),
                row(
                        CUFILE_COMPATIBILITY,
                        UNKNOWN,
                        "does not set allow_compat_mode",
                        m -> m.with("etc/cufile.json: // \"allow_compat_mode\": true")),
                row(
                        CUFILE_VOLUMES,
                        OK,
                        "udev has the attributes of the volumes of /data (ext4)",
                        m -> m.with("proc/self/mountinfo: 21 1 254:0 / /data rw,relatime shared:1 - ext4 /dev/vda rw")
                                .with("run/udev/data/b254:0: S:disk/by-uuid/1\\nE:ID_FS_USAGE=filesystem")),
                // A microVM with an NVIDIA H100, where cuFile 1.15 refused the file in its compatibility mode.
                row(
                        CUFILE_VOLUMES,
                        NOTE,
                        "udev lacks attributes of the volume of / (ext4): there is no /run/udev/data/b254:0",
                        m -> m.with("proc/self/mountinfo: 21 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\\n"
                                + "22 21 254:16 / /usr/local/nvidia ro - squashfs /dev/vdb ro")),
                row(
                        CUFILE_VOLUMES,
                        NOTE,
                        "/d (xfs): /run/udev/data/b8:1 has no ID_FS_USAGE",
                        m -> m.with("proc/self/mountinfo: 21 1 8:1 / /d rw,relatime - xfs /dev/sda1 rw")
                                .with("run/udev/data/b8:1: I:1234")),
                row(CUFILE_VOLUMES, UNKNOWN, "names no ext4 or XFS", m -> m),
                row(
                        STORAGE,
                        OK,
                        "cuFile may access directly: /data (xfs)",
                        m -> m.with(mounts + "/dev/nvme0n1p1 /data xfs rw,noatime 0 0")),
                row(
                        STORAGE,
                        OK,
                        "cuFile may access directly: /net (nfs4)",
                        m -> m.with(mounts + "server:/x /net nfs4 rw,proto=rdma 0 0")),
                row(
                        STORAGE,
                        NOTE,
                        "no ext4 or XFS on NVMe",
                        m -> m.with(mounts + "server:/x /net nfs4 rw,proto=tcp 0 0")),
                row(STORAGE, NOTE, "no ext4 or XFS on NVMe", m -> m.with(mounts + "/dev/sda1 / ext4 rw 0 0")),
                row(
                        STORAGE,
                        WARNING,
                        "ext4 without data=ordered: /data (ext4)",
                        m -> m.with(mounts + "/dev/nvme0n1 /data ext4 rw,data=journal 0 0")),
                row(STORAGE, UNKNOWN, "/proc/self/mounts cannot be read", m -> m));
    }

    private static List<Row> hostRows() {
        String groups = "sys/kernel/iommu_groups/";
        return List.of(
                healthy(PLATFORM, "neither WSL2 nor Jetson nor a virtual GPU"),
                row(
                        PLATFORM,
                        NOTE,
                        "WSL2 (Linux 5.15.153.1-microsoft",
                        m -> m.with("proc/sys/kernel/osrelease: 5.15.153.1-microsoft-standard-WSL2")),
                healthy(KERNEL, "Linux 6.8.0-45-generic"),
                row(KERNEL, OK, "5.12.0", m -> m.with("proc/sys/kernel/osrelease: 5.12.0")),
                row(KERNEL, WARNING, "Linux 5.4.0-200", m -> m.with("proc/sys/kernel/osrelease: 5.4.0-200")),
                row(KERNEL, UNKNOWN, "'odd' has no version", m -> m.with("proc/sys/kernel/osrelease: odd")),
                row(KERNEL, UNKNOWN, "cannot be read", m -> m.without("proc/sys/kernel/osrelease")),
                healthy(IOMMU, "no IOMMU is in use"),
                row(
                        IOMMU,
                        OK,
                        "no IOMMU is in use in this virtual machine; its host may use one",
                        m -> m.with("proc/cpuinfo: processor: 0\\nflags\t\t: fpu vme hypervisor lahf_lm")),
                row(
                        IOMMU,
                        OK,
                        "groups of adapters and GPUs: identity",
                        m -> m.with(groups + "7/type: identity\n" + PCI
                                + "0000:17:00.0/0000:18:00.0/iommu_group -> ../../../../../../kernel/iommu_groups/7")),
                row(IOMMU, WARNING, "groups of adapters and GPUs: DMA-FQ", ACS, m -> m),
                row(
                        IOMMU,
                        UNKNOWN,
                        "the type of IOMMU group 10 cannot be read",
                        ACS,
                        m -> m.without(groups + "10/type")));
    }

    private static List<Row> driverRows() {
        String file = DRIVER_FILE + ": NVRM version: NVIDIA UNIX x86_64 Kernel Module  ";
        return List.of(
                healthy(DRIVER, "NVIDIA driver 580.95.05 is loaded"),
                row(
                        DRIVER,
                        FAIL,
                        "though 8 GPUs are on the PCI bus",
                        H100,
                        m -> m.without(DRIVER_FILE).noCuda("no driver", "")),
                row(DRIVER, NOTE, "though CUDA works", m -> m.without(DRIVER_FILE)),
                row(
                        DRIVER,
                        FAIL,
                        "though 1 GPU is on the PCI bus",
                        m -> m.without(DRIVER_FILE).noCuda("no driver", "")),
                row(DRIVER, NOTE, "no NVIDIA GPU", null, m -> m.noCuda("no driver", "")),
                healthy(DRIVER_FLAVOUR, "open kernel modules"),
                row(DRIVER_FLAVOUR, NOTE, "proprietary", m -> m.with(file + "535.129.03  Thu Oct 19")),
                row(DRIVER_FLAVOUR, UNKNOWN, "no driver is loaded", m -> m.without(DRIVER_FILE)),
                healthy(DRIVER_VERSION, "driver 580.95.05"),
                row(DRIVER_VERSION, OK, "515.43", m -> m.with(file + "515.43.04  x")),
                row(DRIVER_VERSION, WARNING, "driver 470.57.02", m -> m.with(file + "470.57.02  x")),
                row(DRIVER_VERSION, WARNING, "driver 418.87", m -> m.with(file + "418.87  x")),
                row(DRIVER_VERSION, UNKNOWN, "has no version", m -> m.with(file)),
                row(DRIVER_VERSION, UNKNOWN, "no driver is loaded", m -> m.without(DRIVER_FILE)),
                healthy(CUDA, "CUDA 13.0, 1 device"),
                row(CUDA, WARNING, "CUDA 11.4", m -> m.cuda(11040)),
                row(CUDA, FAIL, "no libcuda", m -> m.noCuda("no libcuda.so.1", "install the driver")),
                row(CUDA, NOTE, "no libcuda", null, m -> m.noCuda("no libcuda.so.1", "install the driver")),
                row(
                        CUDA,
                        NOTE,
                        "1 device of 8 on the PCI bus",
                        H100,
                        m -> m.gpus(List.of(Scenario.gpu(0, PciAddress.parse("0000:18:00.0"))))),
                row(CUDA_VISIBLE, OK, "is not set; CUDA numbers the GPUs as", m -> m.with("proc/self/environ: A=1")),
                row(
                        CUDA_VISIBLE,
                        NOTE,
                        "CUDA's 0 is 0000:18:00.0 (nvidia-smi's 0)",
                        m -> m.with("proc/self/environ: CUDA_VISIBLE_DEVICES=0")),
                row(
                        CUDA_VISIBLE,
                        WARNING,
                        "'1' names no GPU of this machine",
                        m -> m.with("proc/self/environ: CUDA_VISIBLE_DEVICES=0,1")),
                row(CUDA_VISIBLE, UNKNOWN, "/proc/self/environ cannot be read", m -> m),
                healthy(PEER_MEMORY, "/sys/module/nvidia_peermem/version contains 580.95.05"),
                row(
                        PEER_MEMORY,
                        OK,
                        "/sys/kernel/mm/memory_peers/nv_mem/version contains 1.3",
                        m -> m.with("sys/kernel/mm/memory_peers/nv_mem/version: 1.3")),
                row(PEER_MEMORY, NOTE, "no peer-memory module", m -> m.without("sys/module/nvidia_peermem/version")));
    }

    private static List<Row> gpuRows() {
        String gpu = PCI + "0000:17:00.0/0000:18:00.0/";
        UnaryOperator<Scenario> elsewhere = m -> m.gpu(at("0000:02:00.0"));
        UnaryOperator<Scenario> noCuda = m -> m.noCuda("no libcuda.so.1", "");
        return List.of(
                healthy(GPU_DRIVER, "kernel driver nvidia"),
                row(GPU_DRIVER, FAIL, "no kernel driver", m -> m.without(gpu + "driver")),
                row(
                        GPU_DRIVER,
                        FAIL,
                        "kernel driver nouveau",
                        m -> m.with("sys/bus/pci/drivers/nouveau/\n" + gpu
                                + "driver -> ../../../../../../bus/pci/drivers/nouveau")),
                row(GPU_DRIVER, UNKNOWN, "0000:02:00.0 is not in", elsewhere),
                healthy(GPU_MIG, "not divided into instances"),
                row(
                        GPU_MIG,
                        NOTE,
                        "instance 1g.10gb of the GPU at 0000:18:00.0",
                        m -> m.gpu(named("NVIDIA H100 80GB HBM3 MIG 1g.10gb"))),
                row(GPU_MIG, UNKNOWN, "could not be queried", noCuda),
                healthy(GPU_RDMA, "GPU_DIRECT_RDMA_SUPPORTED is 1"),
                row(GPU_RDMA, FAIL, "is 0", m -> m.gpu(attributes(Support.NO, Support.NO, Support.NO))),
                row(GPU_RDMA, FAIL, "the GPU is integrated", m -> m.gpu(memory(1L << 33, true))),
                row(GPU_RDMA, UNKNOWN, "could not be queried", noCuda),
                healthy(GPU_DMA_BUF, "DMA_BUF_SUPPORTED is 1"),
                row(GPU_DMA_BUF, WARNING, "is 0", m -> m.gpu(attributes(Support.YES, Support.NO, Support.YES))),
                row(GPU_DMA_BUF, UNKNOWN, "could not be queried", noCuda),
                healthy(GPU_VMM, "VMM_SUPPORTED is 1"),
                row(GPU_VMM, NOTE, "is 0", m -> m.gpu(attributes(Support.YES, Support.YES, Support.NO))),
                row(GPU_VMM, UNKNOWN, "could not be queried", noCuda),
                // Of three windows of 64 bits the second is in registers 2 and 3.
                healthy(GPU_BAR1, "BAR1 is 128 GiB, memory 79.2 GiB; how much of it is in use is unknown: no NVML"),
                row(
                        GPU_BAR1,
                        WARNING,
                        "BAR1 is 256 MiB, memory 79.2 GiB; 250 MiB of it in use, 6 MiB free",
                        DESK,
                        m -> m.window(Bar1Memory.known(256L << 20, 250L << 20, 6L << 20))),
                row(GPU_BAR1, NOTE, "integrated", m -> m.gpu(memory(1L << 33, true))),
                row(GPU_BAR1, UNKNOWN, "no second memory window", m -> m.with(gpu + "resource: odd")),
                row(GPU_BAR1, UNKNOWN, "memory is unknown", noCuda),
                row(GPU_BAR1, UNKNOWN, "is not in /sys", elsewhere),
                healthy(GPU_LINK, "32.0 GT/s x16"),
                row(GPU_LINK, NOTE, "2.5 GT/s x16 of 16.0 GT/s x16", DESK, m -> m),
                row(GPU_LINK, WARNING, "32.0 GT/s x8 of 32.0 GT/s x16", m -> m.with(gpu + "current_link_width: 8")),
                row(GPU_LINK, UNKNOWN, "does not report", m -> m.without(gpu + "current_link_width")),
                row(GPU_LINK, UNKNOWN, "does not report", elsewhere),
                healthy(GPU_ORDERING, "in order by all GPUs"),
                row(GPU_ORDERING, OK, "in order by this GPU", m -> m.gpu(ordering(1, 100))),
                row(GPU_ORDERING, NOTE, "the host can flush them", m -> m.gpu(ordering(3, 0))),
                row(
                        GPU_ORDERING,
                        OK,
                        "from Hopper on",
                        m -> m.gpu(Scenario.hopper()).gpu(ordering(0, 0))),
                row(GPU_ORDERING, WARNING, "the host cannot flush", m -> m.gpu(ordering(2, 0))),
                row(GPU_ORDERING, UNKNOWN, "too old to report it", m -> m.gpu(ordering(-1, -1))));
    }

    private static List<Row> adapterRows() {
        UnaryOperator<Scenario> closed = m -> m.adapter(
                facts -> AdapterFacts.unusable(facts.name(), new Problem("EACCES", "see that this user may")));
        return List.of(
                healthy(ADAPTER_DMA_BUF, "EBADF"),
                row(ADAPTER_DMA_BUF, WARNING, "does not return EBADF", m -> m.adapterDmaBuf(Support.NO)),
                row(ADAPTER_DMA_BUF, UNKNOWN, "could not be opened", closed),
                row(
                        ADAPTER_DATA_DIRECT,
                        OK,
                        "engine at /sys/devices/x",
                        m -> m.dataDirect(new DataDirectSupport(Optional.of(Path.of("/sys/devices/x")), ""))),
                row(
                        ADAPTER_DATA_DIRECT,
                        NOTE,
                        "no such engine",
                        m -> m.dataDirect(new DataDirectSupport(Optional.empty(), "no such engine"))),
                row(ADAPTER_DATA_DIRECT, UNKNOWN, "could not be opened", closed));
    }

    private static List<Row> pairRows() {
        String port = "sys/devices/pci0000:97/0000:97:02.0/0000:98:00.0/0000:99:00.0/config";
        return List.of(
                healthy(DISTANCE, "PIX: at most a single PCIe bridge"),
                row(DISTANCE, WARNING, "PHB: a PCIe host bridge", DESK, m -> m),
                row(DISTANCE, NOTE, "NODE: several host bridges", DESK, m -> m.pair(0, "mlx5_2")),
                row(DISTANCE, NOTE, "none: one of them is a software device", DESK, m -> m.pair(0, "rxe0")),
                row(DISTANCE, UNKNOWN, "0000:02:00.0 is not in", m -> m.gpu(at("0000:02:00.0"))),
                healthy(ACCESS_CONTROL, "redirects nothing at the 3 bridges between"),
                row(ACCESS_CONTROL, OK, "no switch is between the two", DESK, m -> m),
                row(
                        ACCESS_CONTROL,
                        WARNING,
                        "0000:99:01.0 (ReqRedir+ CmpltRedir+ UpstreamFwd+), 0000:99:00.0 (",
                        ACS,
                        m -> m),
                // With ACS off at the adapter's port, the one of this GPU decides, which only root can read.
                row(
                        ACCESS_CONTROL,
                        UNKNOWN,
                        "0000:99:03.0 is readable beyond 64 bytes only for root",
                        ACS,
                        m -> m.pair(2, "mlx5_0").with(port + ": @0 00 @fff 00")),
                row(
                        ACCESS_CONTROL,
                        OK,
                        "redirects nothing",
                        ACS,
                        m -> m.pair(3, "mlx5_0").with(port + ": @0 00 @ff 00")),
                row(
                        ACCESS_CONTROL,
                        UNKNOWN,
                        "0000:99:00.0 cannot be read",
                        ACS,
                        m -> m.pair(3, "mlx5_0").without(port)));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void findingIsWhatTheMachineGives(Row row) {
        Scenario machine = row.machine() == null ? Scenario.empty(root) : Scenario.of(row.machine(), root);
        Finding finding =
                Scenario.finding(row.check()).apply(row.change().apply(machine).diagnosis());
        assertThat(finding.seen()).contains(row.seen());
        assertThat(finding.state()).isEqualTo(row.state());
        assertThat(finding.meaning().isEmpty()).isEqualTo(row.state() == OK);
    }

    /** The kernel shows ext4's mode where it is not the default; some lines have no options. */
    @Test
    void whichFileSystemsCuFileReaches() {
        Scenario machine = Scenario.empty(root);
        machine.with("proc/self/mounts: /dev/nvme0n1 /a ext4 rw 0 0\\n/dev/nvme1n1 /b ext4 rw,data=ordered 0 0\\n"
                + "/dev/nvme2n1 /c xfs rw 0 0\\n/dev/sda1 /d xfs rw 0 0\\nodd /e gpfs");
        assertThat(storage(machine)).isEqualTo("cuFile may access directly: /a (ext4), /b (ext4), /c (xfs)");
        machine.with("proc/self/mounts: " + "s /n wekafs rw 0 0\\n".repeat(5));
        assertThat(storage(machine)).endsWith("/n (wekafs)");
        machine.with("proc/self/mounts: " + "s /n lustre rw 0 0\\n".repeat(7));
        assertThat(storage(machine)).endsWith("/n (lustre) and 2 more");
    }

    private static String storage(Scenario machine) {
        Finding found = Scenario.finding(STORAGE).apply(machine.diagnosisOfAll());
        assertThat(found.state()).isEqualTo(OK);
        return found.seen();
    }

    /** Between the two versions there is one direct path. */
    @Test
    void oldDriverHasFewerPaths() {
        Scenario machine = Scenario.empty(root);
        String driver = DRIVER_FILE + ": NVRM version: NVIDIA UNIX x86_64 Kernel Module  ";
        machine.with(driver + "470.00  x");
        assertThat(Scenario.finding(DRIVER_VERSION)
                        .apply(machine.diagnosisOfAll())
                        .meaning())
                .contains("nvidia_peermem is the only direct path");
        machine.with(driver + "469.99  x");
        assertThat(Scenario.finding(DRIVER_VERSION)
                        .apply(machine.diagnosisOfAll())
                        .meaning())
                .contains("only the old module nv_peer_mem is left");
        machine.with(driver + "515.00  x");
        assertThat(Scenario.finding(DRIVER_VERSION)
                        .apply(machine.diagnosisOfAll())
                        .state())
                .isEqualTo(OK);
    }

    /** An adapter that is far counts as a note where another is nearer. */
    @Test
    void distanceOfAFarPairIsANote() {
        Diagnosis diagnosis = Scenario.of("dgx-a100", root).diagnosisOfAll();
        assertThat(diagnosis.findings().stream()
                        .filter(finding -> finding.check() == DISTANCE)
                        .filter(finding -> finding.subject().equals("GPU0 - mlx5_9")))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.state()).isEqualTo(NOTE);
                    assertThat(finding.meaning()).contains("from NUMA node 3 to 5");
                });
    }

    @Test
    void everyStateOfEveryFindingHasARow() {
        List<Check> checks = Arrays.stream(Check.values())
                .filter(check ->
                        check == IOMMU || check != GPUDIRECT && check.section().isOfGpus())
                .toList();
        for (Check check : checks) {
            Set<FindingState> seen = rows().stream()
                    .filter(row -> row.check() == check)
                    .map(Row::state)
                    .collect(Collectors.toSet());
            assertThat(seen).as(check.key()).isEqualTo(check.states());
        }
        assertThat(Arrays.stream(Check.values()).map(Check::key)).doesNotHaveDuplicates();
    }
}
