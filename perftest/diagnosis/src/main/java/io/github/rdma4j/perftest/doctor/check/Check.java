// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.FindingState.FAIL;
import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.OK;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import java.util.Set;

/**
 * The doctor's checks, in the order in which RDMA would fail. Each has a fixed set of states that its findings can
 * have.
 */
public enum Check {
    /** Whether libibverbs can be opened, and its version. */
    LIBIBVERBS(Section.LIBRARIES, "libibverbs", OK, FAIL),
    /** Whether librdmacm can be opened, and its version. */
    LIBRDMACM(Section.LIBRARIES, "librdmacm", OK, FAIL),
    /** Whether libibverbs has a user-space driver for each device. */
    PROVIDERS(Section.LIBRARIES, "providers", OK, FAIL, UNKNOWN),
    /** Whether the JVM has a fault that harms programs with RDMA. */
    JDK(Section.LIBRARIES, "jdk", OK, WARNING),

    /** Whether the kernel has RDMA devices, and which of its modules are missing. */
    RDMA_DEVICES(Section.KERNEL, "rdma-devices", OK, FAIL),
    /** Whether this process may open the devices. */
    UVERBS(Section.KERNEL, "uverbs", OK, NOTE, FAIL),
    /** Whether this process may use rdma_cm. */
    RDMA_CM(Section.KERNEL, "rdma-cm", OK, NOTE, FAIL, UNKNOWN),

    /** The device: whether it can be opened, and its type. */
    DEVICE(Section.DEVICES, "device", OK, NOTE, WARNING, FAIL, UNKNOWN),
    /** The capabilities of an Elastic Fabric Adapter. */
    EFA(Section.DEVICES, "efa", OK, WARNING, UNKNOWN),
    /** The network interface of the port. */
    INTERFACE(Section.DEVICES, "interface", OK, WARNING, FAIL, UNKNOWN),
    /** Whether the port carries data, which on Ethernet follows from its interface. */
    PORT(Section.DEVICES, "port", OK, NOTE, WARNING, FAIL, UNKNOWN),
    /** The path MTU in force. */
    MTU(Section.DEVICES, "mtu", OK, NOTE, UNKNOWN),

    /** Which GID to use, and why. */
    GID(Section.ADDRESSES, "gid", OK, NOTE, WARNING, FAIL),
    /** Which version of RoCE rdma_cm uses. */
    ROCE_MODE(Section.ADDRESSES, "roce-mode", OK, WARNING),

    /** The limit of locked memory. */
    LOCKED_MEMORY(Section.LIMITS, "locked-memory", OK, WARNING, FAIL, UNKNOWN),
    /** The control group's limit of RDMA objects. */
    RDMA_CGROUP(Section.LIMITS, "rdma-cgroup", OK, WARNING, FAIL),
    /** The limit of file descriptors. */
    OPEN_FILES(Section.LIMITS, "open-files", OK, NOTE, UNKNOWN),
    /** The control group's limit of threads. */
    THREADS(Section.LIMITS, "threads", OK, WARNING),

    /** Whether network namespaces share the devices. */
    NAMESPACES(Section.CONTAINERS, "namespaces", OK, NOTE, UNKNOWN),
    /** Whether this is a container. */
    CONTAINER(Section.CONTAINERS, "container", OK, NOTE),

    /** Huge pages for pools of registered memory. */
    HUGE_PAGES(Section.MEMORY, "huge-pages", OK, NOTE, UNKNOWN),
    /** Whether the IOMMU translates what adapters and GPUs do. */
    IOMMU(Section.MEMORY, "iommu", OK, WARNING, UNKNOWN),

    /** The adapter's PCI Express link. */
    PCI_LINK(Section.PLACEMENT, "pci-link", OK, WARNING, UNKNOWN),
    /** Whether this process runs on the adapter's NUMA node. */
    NUMA(Section.PLACEMENT, "numa", OK, NOTE, WARNING, UNKNOWN),
    /** Which CPUs take the adapter's interrupts. */
    INTERRUPTS(Section.PLACEMENT, "interrupts", OK, NOTE, UNKNOWN),
    /** The frequency governor of the CPUs. */
    GOVERNOR(Section.PLACEMENT, "governor", OK, WARNING),

    /** Priority flow control. */
    FLOW_CONTROL(Section.FABRIC, "flow-control", OK, NOTE, WARNING, UNKNOWN),
    /** Explicit congestion notification. */
    ECN(Section.FABRIC, "ecn", OK, WARNING, UNKNOWN),
    /** The traffic class, and with it the DSCP, of packets. */
    TRAFFIC_CLASS(Section.FABRIC, "traffic-class", OK, NOTE, UNKNOWN),

    /** Counters that are not zero and indicate trouble. */
    COUNTERS(Section.COUNTERS, "counters", OK, NOTE, WARNING, UNKNOWN),

    /** The best path of any pair of a GPU and an adapter. */
    GPUDIRECT(Section.GPUDIRECT, "gpudirect", OK, NOTE, WARNING),
    /** Whether GPUDirect differs on this machine from a server: WSL2, Jetson, virtual GPUs. */
    PLATFORM(Section.GPUDIRECT, "platform", OK, NOTE),
    /** The kernel's version. */
    KERNEL(Section.GPUDIRECT, "kernel", OK, WARNING, UNKNOWN),
    /** Whether NVIDIA's kernel driver is loaded. */
    DRIVER(Section.GPUDIRECT, "driver", OK, NOTE, FAIL),
    /** Whether the kernel modules are the open ones. */
    DRIVER_FLAVOUR(Section.GPUDIRECT, "driver-flavour", OK, NOTE, UNKNOWN),
    /** The version of NVIDIA's driver. */
    DRIVER_VERSION(Section.GPUDIRECT, "driver-version", OK, WARNING, UNKNOWN),
    /** Whether CUDA can be used, and its version. */
    CUDA(Section.GPUDIRECT, "cuda", OK, NOTE, WARNING, FAIL),
    /** Which GPUs the process sees, and by which numbers. */
    CUDA_VISIBLE(Section.GPUDIRECT, "cuda-visible", OK, NOTE, WARNING, UNKNOWN),
    /** Whether a peer-memory module is loaded. */
    PEER_MEMORY(Section.GPUDIRECT, "peer-memory", OK, NOTE),
    /** Whether cuFile's library is installed. */
    CUFILE(Section.GPUDIRECT, "cufile", OK, NOTE),
    /** Whether the kernel module of GPUDirect Storage is loaded. */
    NVIDIA_FS(Section.GPUDIRECT, "nvidia-fs", OK, NOTE),
    /** Whether cuFile's configuration allows its compatibility mode. */
    CUFILE_COMPATIBILITY(Section.GPUDIRECT, "cufile-compat", OK, NOTE, UNKNOWN),
    /** Whether udev has the attributes of volumes; without them, cuFile refuses their files. */
    CUFILE_VOLUMES(Section.GPUDIRECT, "cufile-volumes", OK, NOTE, UNKNOWN),
    /** Which mounted file systems cuFile may reach directly. */
    STORAGE(Section.GPUDIRECT, "storage", OK, NOTE, WARNING, UNKNOWN),
    /** Whether NCCL's library is installed. */
    NCCL(Section.GPUDIRECT, "nccl", OK, NOTE),
    /** Whether variables change what NCCL would choose. */
    NCCL_SETTINGS(Section.GPUDIRECT, "nccl-settings", OK, NOTE, WARNING, UNKNOWN),

    /** The GPU's kernel driver. */
    GPU_DRIVER(Section.GPU, "gpu-driver", OK, FAIL, UNKNOWN),
    /** Whether it is divided into instances (MIG). */
    GPU_MIG(Section.GPU, "gpu-mig", OK, NOTE, UNKNOWN),
    /** Whether the driver offers GPUDirect RDMA for the GPU. */
    GPU_RDMA(Section.GPU, "gpu-rdma", OK, FAIL, UNKNOWN),
    /** Whether the driver exports the GPU's memory as a dma-buf. */
    GPU_DMA_BUF(Section.GPU, "gpu-dma-buf", OK, WARNING, UNKNOWN),
    /** Whether memory of the virtual-memory API can be registered. */
    GPU_VMM(Section.GPU, "gpu-vmm", OK, NOTE, UNKNOWN),
    /** The part of the GPU's memory that is visible on the bus. */
    GPU_BAR1(Section.GPU, "gpu-bar1", OK, NOTE, WARNING, UNKNOWN),
    /** The GPU's PCI Express link. */
    GPU_LINK(Section.GPU, "gpu-link", OK, NOTE, WARNING, UNKNOWN),
    /** Whether kernels see an adapter's writes without a flush. */
    GPU_ORDERING(Section.GPU, "gpu-ordering", OK, NOTE, WARNING, UNKNOWN),

    /** Whether the adapter can register dma-bufs. */
    ADAPTER_DMA_BUF(Section.GPU_ADAPTER, "adapter-dma-buf", OK, WARNING, UNKNOWN),
    /** Whether the adapter has a Data Direct engine. */
    ADAPTER_DATA_DIRECT(Section.GPU_ADAPTER, "adapter-data-direct", OK, NOTE, UNKNOWN),

    /** The distance between GPU and adapter. */
    DISTANCE(Section.GPU_PAIR, "distance", OK, NOTE, WARNING, UNKNOWN),
    /** Whether access control services redirect transfers between the two through the CPU. */
    ACCESS_CONTROL(Section.GPU_PAIR, "acs", OK, WARNING, UNKNOWN),

    /** Whether a doctor answers at the other end, how fast, and whether it stays until the end. */
    PEER_TCP(Section.PEER, "peer-tcp", OK, FAIL),
    /** Whether both ends are of one version. */
    PEER_VERSION(Section.PEER, "peer-version", OK, WARNING, FAIL),
    /** The problems that each end's own doctor reports. */
    PEER_HEALTH(Section.PEER, "peer-health", OK, WARNING),

    /** The port that is tested, at each end. */
    PAIR_PORT(Section.PAIR, "pair-port", OK, FAIL),
    /** The transports of both ports. */
    PAIR_TRANSPORT(Section.PAIR, "pair-transport", OK, FAIL),
    /** The path MTU in force at both ports. */
    PAIR_MTU(Section.PAIR, "pair-mtu", OK, WARNING, UNKNOWN),
    /** The GIDs that both ends use, on RoCE. */
    PAIR_GID(Section.PAIR, "pair-gid", OK, WARNING, FAIL),
    /** The VLANs of the GIDs, on RoCE. */
    PAIR_VLAN(Section.PAIR, "pair-vlan", OK, WARNING, UNKNOWN),
    /** The traffic class that each machine forces on programs, on RoCE. */
    PAIR_CLASS(Section.PAIR, "pair-class", OK, WARNING),
    /** The partition keys, on InfiniBand. */
    PAIR_PARTITION(Section.PAIR, "pair-partition", OK, FAIL, UNKNOWN),
    /** The subnet prefixes, on InfiniBand. */
    PAIR_SUBNET(Section.PAIR, "pair-subnet", OK, FAIL, UNKNOWN),
    /** The offset between the clocks. */
    PAIR_CLOCK(Section.PAIR, "pair-clock", OK, NOTE),

    /** Whether rdma_cm has a device for the other end's address. */
    CM_ADDRESS(Section.WIRE, "cm-address", OK, NOTE, FAIL),
    /** Whether rdma_cm has a route to it. */
    CM_ROUTE(Section.WIRE, "cm-route", OK, FAIL),
    /** A connection by rdma_cm, and a message in each direction. */
    CM_CONNECTION(Section.WIRE, "cm-connection", OK, FAIL),
    /** A connection by queue pair numbers and GIDs, and a message in each direction. */
    RC_CONNECTION(Section.WIRE, "rc-connection", OK, NOTE, FAIL),
    /** SRD queue pairs of EFA, and a message each way. */
    SRD(Section.WIRE, "srd", OK, FAIL),
    /** RDMA writes. */
    RDMA_WRITE(Section.WIRE, "rdma-write", OK, NOTE, FAIL),
    /** RDMA reads. */
    RDMA_READ(Section.WIRE, "rdma-read", OK, NOTE, FAIL),
    /** A fetch-and-add. */
    ATOMICS(Section.WIRE, "atomics", OK, NOTE, FAIL),
    /** Datagrams (UD). */
    DATAGRAMS(Section.WIRE, "datagrams", OK, NOTE, WARNING, FAIL),
    /** Writes of several packets at each path MTU up to that in force. */
    PATH_MTU(Section.WIRE, "path-mtu", OK, NOTE, FAIL),
    /** A message of 1 MiB, whose content is checked. */
    LARGE_MESSAGE(Section.WIRE, "large-message", OK, FAIL),
    /** Writes for a time, and their rate. */
    LOAD(Section.WIRE, "load", OK, FAIL),
    /** The growth of both ports' counters during the load. */
    LOSS(Section.WIRE, "loss", OK, NOTE, WARNING, UNKNOWN);

    /** The sections of the page. */
    public enum Section {
        /** Libraries in user space. */
        LIBRARIES("Libraries"),
        /** Modules and device files. */
        KERNEL("Kernel"),
        /** Devices that carry data. */
        DEVICES("Devices and ports"),
        /** Addresses of peers. */
        ADDRESSES("Addresses"),
        /** The limits of the process. */
        LIMITS("Limits"),
        /** The isolation of the process. */
        CONTAINERS("Namespaces and containers"),
        /** The mapping of memory. */
        MEMORY("Memory"),
        /** The distance between adapter and process. */
        PLACEMENT("Placement"),
        /** The settings that keep RoCE from losing packets. */
        FABRIC("RoCE tuning"),
        /** The events so far. */
        COUNTERS("Counters"),
        /** What GPUDirect needs of the machine. */
        GPUDIRECT("GPUDirect"),
        /** The GPUs. */
        GPU("GPUDirect: each GPU"),
        /** The adapters, as GPUDirect needs them. */
        GPU_ADAPTER("GPUDirect: each adapter"),
        /** The connections between GPUs and adapters. */
        GPU_PAIR("GPUDirect: each pair"),
        /** The peer, with doctor --peer. */
        PEER("The other end"),
        /** Readings of both ends, with doctor --peer. */
        PAIR("Both ends compared"),
        /** Traffic between the ends, with doctor --peer. */
        WIRE("Between the ends");

        private final String title;

        Section(String title) {
            this.title = title;
        }

        /** Returns whether its checks are about GPUDirect. */
        public boolean isOfGpus() {
            return compareTo(GPUDIRECT) >= 0 && compareTo(GPU_PAIR) <= 0;
        }

        /** Returns the title on the page. */
        public String title() {
            return title;
        }
    }

    private final Section section;
    private final String key;
    private final Set<FindingState> states;

    Check(Section section, String key, FindingState... states) {
        this.section = section;
        this.key = key;
        this.states = Set.of(states);
    }

    /** Returns its section. */
    public Section section() {
        return section;
    }

    /** Its name on pages and in documents. */
    public String key() {
        return key;
    }

    /** Returns whether {@code --gpu} also shows it: adapters must be usable, and fast. */
    boolean isSharedWithGpus() {
        return switch (this) {
            case LIBIBVERBS, PROVIDERS, RDMA_DEVICES, UVERBS, DEVICE, LOCKED_MEMORY, IOMMU, PCI_LINK -> true;
            default -> false;
        };
    }

    /** The states that its findings can have. */
    public Set<FindingState> states() {
        return states;
    }
}
