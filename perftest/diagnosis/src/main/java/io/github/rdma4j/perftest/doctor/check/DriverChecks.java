// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.FindingState.FAIL;
import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import io.github.rdma4j.gpudirect.PathForecast;
import io.github.rdma4j.gpudirect.topology.Topology;
import io.github.rdma4j.perftest.doctor.machine.GpuInventory;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import io.github.rdma4j.perftest.doctor.machine.Problem;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks the kernel, NVIDIA's kernel driver, the CUDA driver and the peer-memory modules of a machine. */
final class DriverChecks {
    private static final String RELEASE = "proc/sys/kernel/osrelease";
    private static final Pattern VERSION = Pattern.compile("(\\d{1,4})\\.(\\d{1,4}).*");
    /** The first kernel whose RDMA core registers dma-bufs. */
    private static final int KERNEL_MAJOR = 5;

    private static final int KERNEL_MINOR = 12;
    /** The first branch of the driver whose open kernel modules export dma-bufs. */
    private static final int DRIVER_DMA_BUF = 515;
    /** The first branch of the driver that has nvidia_peermem. */
    private static final int DRIVER_PEER_MEMORY = 470;
    /** The first CUDA that exports dma-bufs. */
    private static final int CUDA_DMA_BUF = 11070;

    private final MachineFiles files;
    private final Topology topology;
    private final GpuInventory gpus;
    private final Optional<KernelDriver> driver;

    DriverChecks(MachineFiles files, Topology topology, GpuInventory gpus) {
        this.files = files;
        this.topology = topology;
        this.gpus = gpus;
        this.driver = KernelDriver.of(files);
    }

    List<Finding> findings() {
        return List.of(kernel(), loaded(), flavour(), version(), cuda(), peerMemory());
    }

    private Finding kernel() {
        Optional<String> release = files.text(RELEASE);
        Matcher version = VERSION.matcher(release.orElse(""));
        if (!version.matches()) {
            return new Finding(
                    Check.KERNEL,
                    "",
                    "/" + RELEASE,
                    UNKNOWN,
                    release.map(text -> "the kernel release '" + text + "' has no version")
                            .orElse("/proc/sys/kernel/osrelease cannot be read"),
                    "registering dma-bufs needs Linux 5.12 or newer",
                    "");
        }
        int major = Integer.parseInt(version.group(1));
        int minor = Integer.parseInt(version.group(2));
        boolean recent = major > KERNEL_MAJOR || major == KERNEL_MAJOR && minor >= KERNEL_MINOR;
        String seen = "Linux " + release.orElseThrow();
        return recent
                ? Finding.ok(Check.KERNEL, "", "/" + RELEASE, seen)
                : new Finding(
                        Check.KERNEL,
                        "",
                        "/" + RELEASE,
                        WARNING,
                        seen,
                        "the RDMA core of this kernel cannot register dma-bufs, unless the distribution or"
                                + " MLNX_OFED has added that",
                        "use Linux 5.12 or newer, or nvidia_peermem with MLNX_OFED or DOCA");
    }

    private Finding loaded() {
        if (driver.isPresent()) {
            return Finding.ok(
                    Check.DRIVER,
                    "",
                    "/" + KernelDriver.FILE,
                    "NVIDIA driver " + driver.get().version().orElse("of unknown version") + " is loaded");
        }
        if (!gpus.gpus().isEmpty()) {
            return new Finding(
                    Check.DRIVER,
                    "",
                    "/" + KernelDriver.FILE,
                    NOTE,
                    "/proc/driver/nvidia/version does not exist, although CUDA works",
                    "flavour and version of the kernel modules are unknown; a container may hide the file",
                    "");
        }
        int present = topology.gpus().size();
        String seen = "/proc/driver/nvidia/version does not exist";
        return present == 0
                ? new Finding(
                        Check.DRIVER,
                        "",
                        "/" + KernelDriver.FILE,
                        NOTE,
                        seen + ", and no NVIDIA GPU is on the PCI bus",
                        "there is no GPU to check",
                        "start a container with --gpus all to give it GPUs")
                : new Finding(
                        Check.DRIVER,
                        "",
                        "/" + KernelDriver.FILE,
                        FAIL,
                        seen + ", although " + present + (present == 1 ? " GPU is" : " GPUs are") + " on the PCI bus",
                        "no GPU can be used",
                        "install NVIDIA's driver with its open kernel modules, and modprobe nvidia; if it does not"
                                + " load, dmesg shows why");
    }

    private Finding flavour() {
        if (driver.isEmpty()) {
            return new Finding(
                    Check.DRIVER_FLAVOUR,
                    "",
                    "/" + KernelDriver.FILE,
                    UNKNOWN,
                    "no driver is loaded",
                    "only the open kernel modules export dma-bufs",
                    "");
        }
        return driver.get().open()
                ? Finding.ok(Check.DRIVER_FLAVOUR, "", "/" + KernelDriver.FILE, "open kernel modules")
                : new Finding(
                        Check.DRIVER_FLAVOUR,
                        "",
                        "/" + KernelDriver.FILE,
                        NOTE,
                        "proprietary kernel modules",
                        "these modules export no dma-bufs: GPU memory can be registered only through nvidia_peermem",
                        "install the open kernel modules (package nvidia-open, or the installer's option -M open);"
                                + " they support GPUs from Turing on");
    }

    private Finding version() {
        int branch = driver.map(KernelDriver::branch).orElse(0);
        if (branch == 0) {
            return new Finding(
                    Check.DRIVER_VERSION,
                    "",
                    "/" + KernelDriver.FILE,
                    UNKNOWN,
                    driver.isEmpty() ? "no driver is loaded" : "/proc/driver/nvidia/version has no version",
                    "dma-bufs need driver 515 or newer, nvidia_peermem 470 or newer",
                    "");
        }
        String seen = "driver " + driver.get().version().orElseThrow();
        if (branch >= DRIVER_DMA_BUF) {
            return Finding.ok(Check.DRIVER_VERSION, "", "/" + KernelDriver.FILE, seen);
        }
        return new Finding(
                Check.DRIVER_VERSION,
                "",
                "/" + KernelDriver.FILE,
                WARNING,
                seen,
                branch >= DRIVER_PEER_MEMORY
                        ? "this driver exports no dma-bufs (515 and newer do); nvidia_peermem is the only direct"
                                + " path"
                        : "this driver exports no dma-bufs (515 and newer do) and has no nvidia_peermem (470 and"
                                + " newer have); only the old module nv_peer_mem is left",
                "install driver 515 or newer");
    }

    private Finding cuda() {
        if (gpus.problem().isPresent()) {
            Problem problem = gpus.problem().get();
            return new Finding(
                    Check.CUDA,
                    "",
                    "libcuda.so.1",
                    topology.gpus().isEmpty() ? NOTE : FAIL,
                    problem.reason(),
                    "no program can use a GPU, regardless of the following findings",
                    problem.remedy());
        }
        String seen = "CUDA " + gpus.cudaVersion() / 1000 + "." + gpus.cudaVersion() % 1000 / 10 + ", "
                + gpus.gpus().size() + (gpus.gpus().size() == 1 ? " device" : " devices");
        if (gpus.cudaVersion() < CUDA_DMA_BUF) {
            return new Finding(
                    Check.CUDA,
                    "",
                    "libcuda.so.1",
                    WARNING,
                    seen,
                    "this version exports no dma-bufs; CUDA 11.7 and newer do",
                    "install driver 515 or newer, which brings CUDA 11.7");
        }
        int present = topology.gpus().size();
        return gpus.gpus().size() >= present
                ? Finding.ok(Check.CUDA, "", "libcuda.so.1", seen)
                : new Finding(
                        Check.CUDA,
                        "",
                        "libcuda.so.1",
                        NOTE,
                        seen + " of " + present + " on the PCI bus",
                        "the others are hidden from this process and are not checked",
                        "check CUDA_VISIBLE_DEVICES and, in a container, which GPUs it was given");
    }

    private Finding peerMemory() {
        Optional<Path> file = PathForecast.peerMemoryFile(files.path(""));
        return file.map(found -> Finding.ok(
                        Check.PEER_MEMORY,
                        "",
                        "/sys/module",
                        "/" + files.path("").relativize(found)
                                + files.text(files.path("").relativize(found).toString())
                                        .filter(text -> !text.isEmpty())
                                        .map(text -> " contains " + text)
                                        .orElse(" exists")))
                .orElseGet(() -> new Finding(
                        Check.PEER_MEMORY,
                        "",
                        "/sys/module",
                        NOTE,
                        "no peer-memory module is loaded (nvidia_peermem, nv_peer_mem)",
                        "GPU memory can be registered only as a dma-buf; if that works, nothing is missing",
                        "if dma-bufs do not work, install MLNX_OFED or DOCA, whose RDMA core has the peer-memory"
                                + " interface, and modprobe nvidia_peermem"));
    }
}
