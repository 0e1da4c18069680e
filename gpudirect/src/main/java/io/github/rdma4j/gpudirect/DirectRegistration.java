// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.cuda.DmaBuf;
import io.github.rdma4j.cuda.UnsupportedCudaCallException;
import io.github.rdma4j.gpudirect.PathRefusal.Reason;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.device.DataDirectSupport;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Attempts the direct paths, and keeps the registered region or the reason why it failed. For one registration and one
 * thread.
 */
final class DirectRegistration {
    /**
     * The driver's results for memory that it cannot export. For other failures, staging would not help.
     */
    private static final Set<String> REFUSALS_OF_THE_DRIVER = Set.of(
            "CUDA_ERROR_INVALID_VALUE",
            "CUDA_ERROR_NOT_SUPPORTED",
            "CUDA_ERROR_NOT_PERMITTED",
            "CUDA_ERROR_INVALID_HANDLE",
            "CUDA_ERROR_OUT_OF_MEMORY",
            "CUDA_ERROR_OPERATING_SYSTEM",
            "CUDA_ERROR_UNKNOWN");

    private static final int ENOMEM = 12;
    private static final int EFAULT = 14;
    private static final int EINVAL = 22;
    /** A number of the kernel only. NVIDIA's driver returns it for an adapter that the GPU cannot reach. */
    private static final int ENOTSUPP = 524;

    private static final String NO_ROOM =
            "it could not be mapped: the GPU's BAR1 or the IOMMU has no space for it, or the adapter has none for"
                    + " another region";
    private static final String NO_PATH =
            "the GPU's driver sees no peer-to-peer path over PCI between the GPU and this adapter";

    private final Registrar registrar;
    private final DeviceSlice memory;
    private final DmaBuf.Mapping mapping;
    /** Queried only if the window is full. */
    private final Supplier<Bar1Use> bar1;

    private final AccessFlag[] access;
    private MemoryRegion region;
    private boolean synchronous;

    DirectRegistration(
            Registrar registrar,
            DeviceSlice memory,
            DmaBuf.Mapping mapping,
            Supplier<Bar1Use> bar1,
            AccessFlag... access) {
        this.registrar = registrar;
        this.bar1 = bar1;
        this.memory = memory;
        this.mapping = mapping;
        this.access = access;
    }

    /** Returns the region, or null if no attempt has succeeded. */
    MemoryRegion region() {
        return region;
    }

    /** Whether synchronous copies and fills are complete when they return. */
    boolean isSynchronous() {
        return synchronous;
    }

    /** Attempts a path. The staged path needs no attempt. */
    Optional<PathRefusal> attempt(GpuPath path) {
        return switch (path) {
            case DATA_DIRECT -> dataDirect();
            case DMA_BUF -> dmaBuf(path);
            case PEER_MEMORY -> peerMemory();
            case STAGED -> Optional.empty();
        };
    }

    private Optional<PathRefusal> dataDirect() {
        DataDirectSupport support = registrar.dataDirect();
        if (!support.isAvailable()) {
            return Optional.of(new PathRefusal(
                    GpuPath.DATA_DIRECT,
                    Reason.DATA_DIRECT_UNSUPPORTED,
                    support.reason(),
                    "use a ConnectX-8 or later with rdma-core 54 and Linux 6.12, or do not call dataDirect()"));
        }
        return dmaBuf(GpuPath.DATA_DIRECT);
    }

    /**
     * Exports a dma-buf. The Data Direct engine reaches the GPU over PCI, so it needs that mapping if the driver knows
     * it.
     */
    private DmaBuf export(GpuPath path) {
        if (path == GpuPath.DATA_DIRECT) {
            try {
                return memory.memory().exportDmaBuf(memory.offset(), memory.length(), DmaBuf.Mapping.PCIE);
            } catch (UnsupportedCudaCallException beforeCuda128) {
                // The driver does not know this mapping. Then the default one is over PCI.
            }
        }
        return memory.memory().exportDmaBuf(memory.offset(), memory.length(), mapping);
    }

    private Optional<PathRefusal> dmaBuf(GpuPath path) {
        long address = memory.address();
        try (DmaBuf exported = export(path)) {
            synchronous = synchronizeMemoryOperations();
            region = path == GpuPath.DATA_DIRECT
                    ? registrar.dmaBufByDataDirect(exported, address, access)
                    : registrar.dmaBuf(exported, address, access);
            return Optional.empty();
        } catch (CudaException e) {
            return Optional.of(exportRefused(path, e));
        } catch (VerbsException e) {
            return Optional.of(registrationRefused(path, e, dmaBufCause(e.errno())));
        }
    }

    private Optional<PathRefusal> peerMemory() {
        try {
            synchronous = synchronizeMemoryOperations();
            region = registrar.addresses(memory.address(), memory.length(), access);
            return Optional.empty();
        } catch (VerbsException e) {
            return Optional.of(registrationRefused(GpuPath.PEER_MEMORY, e, peerMemoryCause(e.errno())));
        }
    }

    /** Sets the attribute of the allocation, or of the whole context if the allocation does not have it. */
    private boolean synchronizeMemoryOperations() {
        try {
            memory.memory().synchronizeMemoryOperations();
            return true;
        } catch (UnsupportedCudaCallException ofThePointer) {
            try {
                memory.memory().context().synchronizeMemoryOperations();
                return true;
            } catch (UnsupportedCudaCallException ofTheContext) {
                return false;
            }
        }
    }

    private static PathRefusal exportRefused(GpuPath path, CudaException e) {
        if (e.resultName().equals("CUDA_ERROR_NOT_FOUND")) {
            return new PathRefusal(path, Reason.DRIVER_TOO_OLD, e.getMessage(), e.remedy());
        }
        if (!REFUSALS_OF_THE_DRIVER.contains(e.resultName())) {
            throw e;
        }
        return new PathRefusal(
                path,
                Reason.EXPORT_REFUSED,
                e.getMessage(),
                e.remedy().isEmpty() ? "allocate with CudaContext.allocate or allocateGpuDirect" : e.remedy());
    }

    private static PathRefusal registrationRefused(GpuPath path, VerbsException e, String cause) {
        return new PathRefusal(
                path,
                Reason.REGISTRATION_REFUSED,
                e.errno(),
                e.operation() + " failed with " + VerbsException.describe(e.errno())
                        + (cause.isEmpty() ? "" : ": " + cause),
                remedy(path, e.errno()));
    }

    private static String remedy(GpuPath path, int errno) {
        if (errno == ENOTSUPP) {
            return "use an adapter below the GPU's PCIe switch or root complex ('rdma4j doctor --gpu' shows the"
                    + " distances)";
        }
        return path != GpuPath.PEER_MEMORY
                ? "see 'rdma4j doctor --gpu' for IOMMU, ACS and BAR1"
                : "see 'rdma4j doctor --gpu', or take the path 'dma-buf'";
    }

    private String noRoom() {
        return NO_ROOM + " (" + bar1.get().describe() + ")";
    }

    private String dmaBufCause(int errno) {
        return switch (errno) {
            case ENOMEM -> noRoom();
            case ENOTSUPP -> NO_PATH;
            case EINVAL -> "the GPU's driver refuses this adapter, or the range is not the exported one";
            default -> "";
        };
    }

    private String peerMemoryCause(int errno) {
        return switch (errno) {
            case EFAULT ->
                "no peer-memory module accepted the address, so the kernel looked for host memory there: the module has not"
                        + " registered with this ib_core, or does not support this kind of memory";
            case ENOMEM -> noRoom();
            case ENOTSUPP -> NO_PATH;
            case EINVAL -> "the peer-memory module refused the range, or the device does not support one of the flags";
            default -> "";
        };
    }
}
