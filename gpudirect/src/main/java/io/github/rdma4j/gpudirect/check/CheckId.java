// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import static io.github.rdma4j.gpudirect.check.FindingState.FAIL;
import static io.github.rdma4j.gpudirect.check.FindingState.NOTE;
import static io.github.rdma4j.gpudirect.check.FindingState.OK;
import static io.github.rdma4j.gpudirect.check.FindingState.UNKNOWN;
import static io.github.rdma4j.gpudirect.check.FindingState.WARNING;

import java.util.Set;

/** The checks. Each has a fixed set of states that its findings can have. */
public enum CheckId {
    /** Whether GPUDirect differs on this machine from a server: WSL2, Jetson, virtual GPUs. */
    PLATFORM("platform", OK, NOTE),
    /** The kernel's version. */
    KERNEL("kernel", OK, WARNING, UNKNOWN),
    /** Whether NVIDIA's kernel driver is loaded. */
    DRIVER("driver", OK, NOTE, FAIL),
    /** Whether the kernel modules are the open ones. */
    DRIVER_FLAVOUR("driver-flavour", OK, NOTE, UNKNOWN),
    /** The version of NVIDIA's driver. */
    DRIVER_VERSION("driver-version", OK, WARNING, UNKNOWN),
    /** Whether CUDA can be used, and its version. */
    CUDA("cuda", OK, NOTE, WARNING, FAIL),
    /** Which GPUs the process sees, and by which numbers. */
    CUDA_VISIBLE("cuda-visible", OK, NOTE, WARNING, UNKNOWN),
    /** Whether a peer-memory module is loaded. */
    PEER_MEMORY("peer-memory", OK, NOTE),
    /** Whether the IOMMU translates the addresses of GPUs and adapters. */
    IOMMU("iommu", OK, WARNING, UNKNOWN),
    /** The limit of locked memory. */
    LOCKED_MEMORY("locked-memory", OK, WARNING, UNKNOWN),
    /** The version of rdma-core. */
    RDMA_CORE("rdma-core", OK, WARNING, FAIL, UNKNOWN),
    /** Whether RDMA devices can be reached from here. */
    RDMA_DEVICES("rdma-devices", OK, NOTE, FAIL),
    /** Whether cuFile's library is there. */
    CUFILE("cufile", OK, NOTE),
    /** Whether the kernel module of GPUDirect Storage is loaded. */
    NVIDIA_FS("nvidia-fs", OK, NOTE),
    /** Whether cuFile's configuration allows its compatibility mode. */
    CUFILE_COMPATIBILITY("cufile-compat", OK, NOTE, UNKNOWN),
    /** Whether udev knows the volumes, without which cuFile takes none of their files. */
    CUFILE_VOLUMES("cufile-volumes", OK, NOTE, UNKNOWN),
    /** Which mounted file systems cuFile may reach directly. */
    STORAGE("storage", OK, NOTE, WARNING, UNKNOWN),
    /** Whether NCCL's library is there. */
    NCCL("nccl", OK, NOTE),
    /** Whether variables change what NCCL would choose. */
    NCCL_SETTINGS("nccl-settings", OK, NOTE, WARNING, UNKNOWN),

    /** The GPU's kernel driver. */
    GPU_DRIVER("gpu-driver", OK, FAIL, UNKNOWN),
    /** Whether it is divided into instances (MIG). */
    GPU_MIG("gpu-mig", OK, NOTE, UNKNOWN),
    /** Whether the driver offers GPUDirect RDMA for the GPU. */
    GPU_RDMA("gpu-rdma", OK, FAIL, UNKNOWN),
    /** Whether the driver exports the GPU's memory as a dma-buf. */
    GPU_DMA_BUF("gpu-dma-buf", OK, WARNING, UNKNOWN),
    /** Whether memory of the virtual-memory API can be registered. */
    GPU_VMM("gpu-vmm", OK, NOTE, UNKNOWN),
    /** The part of the GPU's memory that is visible on the bus. */
    GPU_BAR1("gpu-bar1", OK, NOTE, WARNING, UNKNOWN),
    /** The GPU's PCI Express link. */
    GPU_LINK("gpu-link", OK, NOTE, WARNING, UNKNOWN),
    /** Whether kernels see an adapter's writes without a flush. */
    GPU_ORDERING("gpu-ordering", OK, NOTE, WARNING, UNKNOWN),

    /** Whether the adapter could be opened. */
    ADAPTER_OPEN("adapter-open", OK, FAIL),
    /** Whether it is a hardware device, and a whole one. */
    ADAPTER_KIND("adapter-kind", OK, NOTE),
    /** Whether the adapter can register dma-bufs. */
    ADAPTER_DMA_BUF("adapter-dma-buf", OK, WARNING, UNKNOWN),
    /** Whether the adapter has a Data Direct engine. */
    ADAPTER_DATA_DIRECT("adapter-data-direct", OK, NOTE, UNKNOWN),
    /** The adapter's PCI Express link. */
    ADAPTER_LINK("adapter-link", OK, WARNING, UNKNOWN),
    /** Whether a port carries data. */
    PORT("port", OK, WARNING, UNKNOWN),
    /** The path MTU of the ports. */
    MTU("mtu", OK, NOTE, UNKNOWN),
    /** The types of the ports' GIDs. */
    GID_TYPE("gid-type", OK, WARNING, UNKNOWN),

    /** The distance between GPU and adapter. */
    DISTANCE("distance", OK, NOTE, WARNING, UNKNOWN),
    /** Whether access control services redirect transfers between the two through the processor. */
    ACCESS_CONTROL("acs", OK, WARNING, UNKNOWN);

    private final String key;
    private final Set<FindingState> states;

    CheckId(String key, FindingState... states) {
        this.key = key;
        this.states = Set.of(states);
    }

    /** {@return its name on pages and in documents} */
    public String key() {
        return key;
    }

    /** {@return the states that its findings can have} */
    public Set<FindingState> states() {
        return states;
    }
}
