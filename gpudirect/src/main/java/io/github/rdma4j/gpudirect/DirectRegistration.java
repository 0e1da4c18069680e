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

/** The attempts at a direct path: what is registered, or why it could not be. For one registration and one thread. */
final class DirectRegistration {
    /**
     * The driver's results for memory that it cannot export. Staging does not help against other failures.
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
    /** Of the kernel alone. NVIDIA's driver says it of an adapter to which the GPU has no way. */
    private static final int ENOTSUPP = 524;

    private static final String NO_ROOM =
            "it could not be mapped: the GPU's BAR1 or the IOMMU has no room for so much, or the adapter none for"
                    + " another region";
    private static final String NO_PATH =
            "the GPU's driver sees no peer-to-peer path over PCI between the GPU and this adapter";

    private final Registrar registrar;
    private final DeviceSlice memory;
    private final DmaBuf.Mapping mapping;
    /** Asked for when there was no room. */
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

    /** Null if no attempt has succeeded. */
    MemoryRegion region() {
        return region;
    }

    /** Whether synchronous copies and fills end before they return. */
    boolean isSynchronous() {
        return synchronous;
    }

    /** Tries; the staged path needs nothing. */
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
                    "ConnectX-8 or later with rdma-core 54 and Linux 6.12, or leave out dataDirect()"));
        }
        return dmaBuf(GpuPath.DATA_DIRECT);
    }

    /** The engine reaches the GPU over PCI. A driver that knows no such mapping has no other one either. */
    private DmaBuf export(GpuPath path) {
        if (path == GpuPath.DATA_DIRECT) {
            try {
                return memory.memory().exportDmaBuf(memory.offset(), memory.length(), DmaBuf.Mapping.PCIE);
            } catch (UnsupportedCudaCallException beforeCuda128) {
                // As the driver has it, then.
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

    /** For the allocation if it has the attribute, else for the whole context. */
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
            case EINVAL -> "the GPU's driver does not let this adapter in, or the range is not what was exported";
            default -> "";
        };
    }

    private String peerMemoryCause(int errno) {
        return switch (errno) {
            case EFAULT ->
                "no peer-memory module took the address, so the kernel looked for host memory there: the module has not"
                        + " signed on with this ib_core, or it does not know memory of this kind";
            case ENOMEM -> noRoom();
            case ENOTSUPP -> NO_PATH;
            case EINVAL -> "the peer-memory module refused the range, or the device does not offer one of the flags";
            default -> "";
        };
    }
}
