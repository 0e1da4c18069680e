// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import static io.github.rdma4j.gpudirect.check.FindingState.FAIL;
import static io.github.rdma4j.gpudirect.check.FindingState.NOTE;
import static io.github.rdma4j.gpudirect.check.FindingState.UNKNOWN;
import static io.github.rdma4j.gpudirect.check.FindingState.WARNING;

import io.github.rdma4j.gpudirect.PathForecast;
import io.github.rdma4j.gpudirect.topology.Topology;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Checks NVIDIA's kernel driver, the CUDA driver and the peer-memory modules of a machine. */
final class DriverChecks {
    private static final Subject HOST = Subject.host();

    private final HostFiles files;
    private final Topology topology;
    private final GpuInventory gpus;
    private final Optional<KernelDriver> driver;

    DriverChecks(HostFiles files, Topology topology, GpuInventory gpus) {
        this.files = files;
        this.topology = topology;
        this.gpus = gpus;
        this.driver = KernelDriver.of(files);
    }

    List<Finding> findings() {
        return List.of(loaded(), flavour(), version(), cuda(), peerMemory());
    }

    private Finding loaded() {
        if (driver.isPresent()) {
            return Finding.ok(
                    CheckId.DRIVER,
                    HOST,
                    "NVIDIA driver " + driver.get().version().orElse("of unknown version") + " is loaded");
        }
        if (!gpus.gpus().isEmpty()) {
            return new Finding(
                    CheckId.DRIVER,
                    HOST,
                    NOTE,
                    "/proc/driver/nvidia/version is not there, though CUDA works",
                    "flavour and version of the kernel modules are not known; a container may hide the file",
                    "");
        }
        int present = topology.gpus().size();
        String seen = "/proc/driver/nvidia/version is not there";
        return present == 0
                ? new Finding(
                        CheckId.DRIVER,
                        HOST,
                        NOTE,
                        seen + ", and no GPU of NVIDIA on the PCI bus",
                        "there is no GPU to check",
                        "in a container, see that it gets GPUs (docker run --gpus all)")
                : new Finding(
                        CheckId.DRIVER,
                        HOST,
                        FAIL,
                        seen + ", though " + present + (present == 1 ? " GPU is" : " GPUs are") + " on the PCI bus",
                        "no GPU can be used",
                        "install NVIDIA's driver with its open kernel modules, and modprobe nvidia; dmesg shows why it"
                                + " did not load");
    }

    private Finding flavour() {
        if (driver.isEmpty()) {
            return new Finding(
                    CheckId.DRIVER_FLAVOUR,
                    HOST,
                    UNKNOWN,
                    "no driver is loaded",
                    "only the open kernel modules export dma-bufs",
                    "");
        }
        return driver.get().open()
                ? Finding.ok(CheckId.DRIVER_FLAVOUR, HOST, "open kernel modules")
                : new Finding(
                        CheckId.DRIVER_FLAVOUR,
                        HOST,
                        NOTE,
                        "proprietary kernel modules",
                        "they export no dma-bufs: GPU memory can be registered through nvidia_peermem only",
                        "install the open kernel modules (package nvidia-open or -M open), for GPUs from Turing on");
    }

    private Finding version() {
        int branch = driver.map(KernelDriver::branch).orElse(0);
        if (branch == 0) {
            return new Finding(
                    CheckId.DRIVER_VERSION,
                    HOST,
                    UNKNOWN,
                    driver.isEmpty() ? "no driver is loaded" : "/proc/driver/nvidia/version has no version",
                    "dma-bufs need driver 515 or newer, nvidia_peermem 470 or newer",
                    "");
        }
        String seen = "driver " + driver.get().version().orElseThrow();
        if (branch >= Versions.DRIVER_DMA_BUF) {
            return Finding.ok(CheckId.DRIVER_VERSION, HOST, seen);
        }
        return new Finding(
                CheckId.DRIVER_VERSION,
                HOST,
                WARNING,
                seen,
                branch >= Versions.DRIVER_PEER_MEMORY
                        ? "it exports no dma-bufs, which begin with 515; nvidia_peermem is the only direct path"
                        : "it exports no dma-bufs and has no nvidia_peermem, which begin with 515 and 470; only the old"
                                + " module nv_peer_mem is left",
                "install driver 515 or newer");
    }

    private Finding cuda() {
        if (gpus.problem().isPresent()) {
            Problem problem = gpus.problem().get();
            return new Finding(
                    CheckId.CUDA,
                    HOST,
                    topology.gpus().isEmpty() ? NOTE : FAIL,
                    problem.reason(),
                    "no GPU can be used by a program, whatever the following says",
                    problem.remedy());
        }
        String seen = "CUDA " + Versions.cuda(gpus.cudaVersion()) + ", "
                + gpus.gpus().size() + (gpus.gpus().size() == 1 ? " device" : " devices");
        if (gpus.cudaVersion() < Versions.CUDA_DMA_BUF) {
            return new Finding(
                    CheckId.CUDA,
                    HOST,
                    WARNING,
                    seen,
                    "it exports no dma-bufs, which begin with CUDA 11.7",
                    "install driver 515 or newer, which brings CUDA 11.7");
        }
        int present = topology.gpus().size();
        return gpus.gpus().size() >= present
                ? Finding.ok(CheckId.CUDA, HOST, seen)
                : new Finding(
                        CheckId.CUDA,
                        HOST,
                        NOTE,
                        seen + " of " + present + " on the PCI bus",
                        "the others are hidden from this process and are not checked",
                        "see CUDA_VISIBLE_DEVICES, and in a container which GPUs it was given");
    }

    private Finding peerMemory() {
        Optional<Path> file = PathForecast.peerMemoryFile(files.root());
        return file.map(found -> Finding.ok(
                        CheckId.PEER_MEMORY,
                        HOST,
                        "/" + files.root().relativize(found)
                                + HostFiles.text(found)
                                        .filter(text -> !text.isEmpty())
                                        .map(text -> " says " + text)
                                        .orElse(" is there")))
                .orElseGet(() -> new Finding(
                        CheckId.PEER_MEMORY,
                        HOST,
                        NOTE,
                        "no peer-memory module is loaded (nvidia_peermem, nv_peer_mem)",
                        "GPU memory can be registered as a dma-buf only; where that works, nothing is missing",
                        "where it does not: install MLNX_OFED or DOCA, whose RDMA core has the interface, and modprobe"
                                + " nvidia_peermem"));
    }
}
