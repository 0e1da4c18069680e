// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.fuzz.Fuzzer;
import io.github.rdma4j.fuzz.Spoiler;
import io.github.rdma4j.gpudirect.Bar1Memory;
import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.gpudirect.topology.Topology;
import io.github.rdma4j.perftest.doctor.check.Doctor;
import io.github.rdma4j.perftest.doctor.machine.AdapterInventory;
import io.github.rdma4j.perftest.doctor.machine.DoctorSources;
import io.github.rdma4j.perftest.doctor.machine.FlowControl;
import io.github.rdma4j.perftest.doctor.machine.GpuInventory;
import io.github.rdma4j.perftest.doctor.machine.GpuReader;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Fuzzes a machine's files, links and names. All are read, and meaningless values count as unknown. */
@Timeout(7200)
class SysfsFuzzTest {
    private static final String BRIDGE = "sys/devices/pci0000:00/0000:00:01.0/";
    private static final String GPU = BRIDGE + "0000:01:00.0/";
    private static final String ADAPTER = "sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0/";

    private static final List<String> TEXTS = List.of(
            GPU + "class: 0x030200",
            GPU + "vendor: 0x10de",
            GPU + "device: 0x20b2",
            GPU + "numa_node: 0",
            GPU + "current_link_speed: 16.0 GT/s PCIe",
            GPU + "current_link_width: 16",
            GPU + "max_link_width: 16",
            GPU + "resource: 0x0000000000000000 0x0000000000ffffff 0x0000000000040200",
            BRIDGE + "config: 0",
            ADAPTER + "class: 0x020700",
            ADAPTER + "vendor: 0x15b3",
            ADAPTER + "numa_node: -1",
            ADAPTER + "infiniband/mlx5_0/ports/1/rate: 200 Gb/sec (4X HDR)",
            "sys/devices/system/node/node0/distance: 10 21",
            "sys/devices/system/node/node1/distance: 21 10",
            "sys/kernel/iommu_groups/7/type: identity",
            "sys/module/nvidia_peermem/version: 580.95.05",
            "proc/cmdline: BOOT_IMAGE=/vmlinuz intel_iommu=on quiet",
            "proc/sys/kernel/osrelease: 6.8.0-45-generic",
            "proc/driver/nvidia/version: NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build",
            "proc/self/limits: Max locked memory         8388608            unlimited            bytes",
            "proc/self/status: CapEff:\t0000000000000000");

    private static final List<String> LINKS = List.of(
            "sys/bus/pci/devices/0000:00:01.0 -> ../../../devices/pci0000:00/0000:00:01.0",
            "sys/bus/pci/devices/0000:01:00.0 -> ../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0",
            "sys/bus/pci/devices/0000:81:00.0 -> ../../../devices/pci0000:80/0000:80:01.0/0000:81:00.0",
            "sys/class/infiniband/mlx5_0 -> ../../devices/pci0000:80/0000:80:01.0/0000:81:00.0/infiniband/mlx5_0",
            ADAPTER + "infiniband/mlx5_0/device -> ../..",
            ADAPTER + "driver -> ../../../../../bus/pci/drivers/mlx5_core",
            GPU + "physfn -> ../0000:01:00.1",
            GPU + "iommu_group -> ../../../../kernel/iommu_groups/7");

    private final List<Path> files = new ArrayList<>();

    private void write(Path root) throws IOException {
        Files.createDirectories(root.resolve("sys/bus/pci/drivers/mlx5_core"));
        for (String line : TEXTS) {
            int colon = line.indexOf(": ");
            Path file = root.resolve(line.substring(0, colon));
            Files.createDirectories(file.getParent());
            Files.writeString(file, line.substring(colon + 2) + "\n");
            files.add(file);
        }
        for (String line : LINKS) {
            int arrow = line.indexOf(" -> ");
            Path link = root.resolve(line.substring(0, arrow));
            Files.createDirectories(link.getParent());
            Files.createSymbolicLink(link, Path.of(line.substring(arrow + 4)));
        }
    }

    private static void readAll(Path root) {
        Machine machine = new Machine(new DoctorSources(
                root,
                Runtime.version(),
                _ -> true,
                () -> new AdapterInventory(Optional.empty(), List.of()),
                Optional::empty,
                _ -> new FlowControl.Answer(null, "nobody was asked", Optional.empty()),
                () -> GpuInventory.unavailable(new Problem("no driver", "install one")),
                _ -> Bar1Memory.unknown("no NVML")));
        assertThat(Doctor.examineGpus(machine, new GpuReader(machine).report(), true)
                        .findings())
                .isNotEmpty();
        Topology topology = Topology.read(root.resolve("sys"));
        assertThat(topology.matrix()).isNotBlank();
        assertThat(topology.toString()).isNotBlank();
    }

    @Test
    void texts(@TempDir Path root) throws Exception {
        write(root);
        List<byte[]> honest = new ArrayList<>();
        for (Path file : files) {
            honest.add(Files.readAllBytes(file));
        }
        byte[] config = new byte[4096];
        config[0x100] = 0x0d;
        config[0x106] = 0x1d;
        honest.add(config);
        int[] turn = {0};
        // Every file is read once or twice, and the findings quote the files.
        new Fuzzer(new Spoiler(honest, "0x", "Max locked memory", "CapEff:", "NVRM version:"), null, 1 << 22, 1 << 8)
                .oneIn(10)
                .feed(input -> {
                    Files.write(files.get(turn[0]++ % files.size()), input);
                    readAll(root);
                });
    }

    /** A link may lead anywhere, and a name may be anything that a file can be called. */
    @Test
    void linksAndNames(@TempDir Path root) throws Exception {
        write(root);
        Spoiler names = new Spoiler(
                Fuzzer.bytes(
                        "mlx5_0",
                        "mlx5_10",
                        "a1x",
                        "0000:01:00.0",
                        "ffffffff:ff:1f.7",
                        "../../../devices/pci0000:00/0000:00:01.0",
                        "pci0000:00",
                        "/"),
                "/",
                "..",
                "mlx5_",
                "0000:",
                "/dev/null",
                "0".repeat(200));
        Path devices = root.resolve("sys/class/infiniband");
        Path functions = root.resolve("sys/bus/pci/devices");
        List<Path> targets = List.of(
                root.resolve(ADAPTER + "driver"),
                root.resolve(GPU + "physfn"),
                root.resolve(GPU + "iommu_group"),
                root.resolve(ADAPTER + "infiniband/mlx5_0/device"));
        Set<Path> made = new HashSet<>();
        int[] turn = {0};
        new Fuzzer(names, null, 1 << 24, 1 << 8).oneIn(20).feedText(input -> {
            int place = turn[0]++ % 8;
            Path link = place < 4 ? targets.get(place) : name(place < 6 ? devices : functions, input);
            Path target = place < 4
                    ? name(null, input)
                    : Path.of("../../devices/pci0000:80/0000:80:01.0/0000:81:00.0/infiniband/mlx5_0");
            if (link != null && target != null && !Files.isDirectory(link, LinkOption.NOFOLLOW_LINKS)) {
                Files.deleteIfExists(link);
                Files.createSymbolicLink(link, target);
                if (place >= 4) {
                    made.add(link);
                }
            }
            if (made.size() > 48) {
                for (Path each : made) {
                    Files.deleteIfExists(each);
                }
                made.clear();
            }
            readAll(root);
        });
    }

    /** A name in a folder, or a target; null for what no file system takes. */
    private static Path name(Path folder, String input) {
        boolean impossible = input.isEmpty()
                || input.indexOf('\0') >= 0
                || input.getBytes(StandardCharsets.UTF_8).length > 200
                || folder != null && (input.contains("/") || input.equals(".") || input.equals(".."));
        if (impossible) {
            return null;
        }
        try {
            return folder == null ? Path.of(input) : folder.resolve(input);
        } catch (InvalidPathException _) {
            return null;
        }
    }

    @Test
    void addresses() throws Exception {
        new Fuzzer(
                        new Spoiler(Fuzzer.bytes("0000:07:00.0", "00000000:ff:1f.7", "07:00.0")),
                        IllegalArgumentException.class,
                        8192,
                        16)
                .feedText(input -> {
                    PciAddress address = PciAddress.parse(input);
                    assertThat(PciAddress.parse(address.toString())).isEqualTo(address);
                });
    }
}
