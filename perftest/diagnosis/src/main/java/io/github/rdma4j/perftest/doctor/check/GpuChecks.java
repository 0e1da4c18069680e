// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.FindingState.FAIL;
import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import io.github.rdma4j.gpudirect.Bar1Memory;
import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.gpudirect.topology.PciLink;
import io.github.rdma4j.perftest.doctor.machine.CheckedGpu;
import io.github.rdma4j.perftest.doctor.machine.GpuFacts;
import io.github.rdma4j.perftest.doctor.machine.Support;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Checks a GPU. */
final class GpuChecks {
    private static final String ATTRIBUTES = "cuDeviceGetAttribute";
    private static final String DRIVER = "nvidia";
    private static final String NOT_QUERIED = "the CUDA driver could not be queried, or is too old to report it";
    private static final String INSTANCE = " MIG ";
    private static final int OWNER = 100;
    private static final int ALL_DEVICES = 200;
    private static final int FLUSHED_BY_HOST = 1;
    private static final int HOPPER = 90;
    /** The window of GPUs that cannot show all of their memory; each GPU that can be registered has more memory. */
    private static final long SMALL_WINDOW = 256L << 20;

    private static final String LIMIT =
            "all memory that is registered at the same time, with nvidia_peermem or as dma-bufs, must fit into"
                    + " BAR1, of which the driver uses a part";
    private static final String LARGER_WINDOW =
            "enable resizable BAR and addresses above 4G in the firmware; some GPUs need NVIDIA's"
                    + " displaymodeselector to show all of their memory. Or use a DeviceMemoryPool, which registers"
                    + " less than the size of BAR1";

    private final CheckedGpu gpu;
    private final String subject;
    private final String function;
    private final Optional<GpuFacts> facts;

    private final Optional<KernelGpu> kernel;

    GpuChecks(CheckedGpu gpu, List<KernelGpu> kernelGpus) {
        this.gpu = gpu;
        this.kernel = kernelGpus.stream()
                .filter(found -> found.address().equals(gpu.address()))
                .findFirst();
        this.subject = gpu.label();
        this.function = "/sys/bus/pci/devices/" + gpu.address();
        this.facts = gpu.facts();
    }

    List<Finding> findings() {
        return List.of(driver(), instances(), rdma(), dmaBuf(), virtualMemory(), bar1(), link(), ordering());
    }

    private Finding finding(
            Check check, String source, FindingState state, String seen, String meaning, String remedy) {
        return new Finding(check, subject, source, state, seen, meaning, remedy);
    }

    private Finding notInSysfs(Check check) {
        return finding(
                check,
                function,
                UNKNOWN,
                gpu.address() + " is not in /sys/bus/pci/devices",
                "a container may hide it",
                "");
    }

    private Finding driver() {
        if (gpu.function().isEmpty()) {
            return notInSysfs(Check.GPU_DRIVER);
        }
        Optional<String> driver = gpu.function().get().driver();
        if (driver.filter(DRIVER::equals).isPresent()) {
            return Finding.ok(Check.GPU_DRIVER, subject, function, "kernel driver nvidia");
        }
        return finding(
                Check.GPU_DRIVER,
                function,
                FAIL,
                driver.map(name -> "kernel driver " + name).orElse("no kernel driver"),
                "CUDA cannot use the GPU",
                driver.map(name -> switch (name) {
                            case "vfio-pci" -> "run doctor in the virtual machine that the GPU is passed through to";
                            case "nouveau" ->
                                "install NVIDIA's driver and keep nouveau from loading (blacklist nouveau)";
                            default -> "bind the GPU to NVIDIA's driver";
                        })
                        .orElse("modprobe nvidia; if the driver does not claim the GPU, dmesg shows why"));
    }

    /** CUDA's name of an instance contains its profile; the kernel driver describes the whole GPU. */
    private Finding instances() {
        Optional<String> profile = facts.map(GpuFacts::name)
                .map(name ->
                        name.indexOf(INSTANCE) < 0 ? "" : name.substring(name.indexOf(INSTANCE) + INSTANCE.length()))
                .filter(text -> !text.isEmpty());
        int count = kernel.map(KernelGpu::instances).orElse(0);
        if (profile.isEmpty() && count == 0) {
            return facts.isEmpty() && kernel.isEmpty()
                    ? finding(
                            Check.GPU_MIG,
                            "cuDeviceGetName",
                            UNKNOWN,
                            NOT_QUERIED,
                            "it is unknown whether the GPU is divided into instances (MIG)",
                            "")
                    : Finding.ok(Check.GPU_MIG, subject, "cuDeviceGetName", "not divided into instances (MIG)");
        }
        String whole = kernel.map(KernelGpu::uuid)
                .filter(uuid -> !uuid.isEmpty())
                .map(uuid -> ", which is " + uuid)
                .orElse("");
        return finding(
                Check.GPU_MIG,
                "cuDeviceGetName",
                NOTE,
                profile.map(text -> "instance " + text + " of the GPU at " + gpu.address()
                                        + (count == 0 ? "" : ", one of " + count))
                                .orElse("divided into instances: " + count)
                        + whole,
                "adapters access an instance's memory through the GPU's own PCI function, so distance and path are"
                        + " the GPU's; the instances share BAR1. Between instances there are no copies and no CUDA"
                        + " IPC, and CUDA shows a process only one of them",
                "choose an instance with CUDA_VISIBLE_DEVICES=MIG-UUID (nvidia-smi -L); nvidia-smi shows its share"
                        + " of BAR1");
    }

    private Finding rdma() {
        return switch (facts.map(GpuFacts::rdma).orElse(Support.UNKNOWN)) {
            case YES -> Finding.ok(Check.GPU_RDMA, subject, ATTRIBUTES, "GPU_DIRECT_RDMA_SUPPORTED is 1");
            case NO ->
                finding(
                        Check.GPU_RDMA,
                        ATTRIBUTES,
                        FAIL,
                        "GPU_DIRECT_RDMA_SUPPORTED is 0" + (integrated() ? ", the GPU is integrated" : ""),
                        integrated()
                                ? "its memory is host memory: register pinned host memory, which the GPU also sees"
                                : "no other device may access the GPU's memory, so transfers are staged",
                        integrated() ? "" : "use a data-centre or RTX professional GPU; GeForce does not support it");
            case UNKNOWN ->
                finding(
                        Check.GPU_RDMA,
                        ATTRIBUTES,
                        UNKNOWN,
                        NOT_QUERIED,
                        "it is unknown whether other devices can access the GPU's memory",
                        "");
        };
    }

    private boolean integrated() {
        return facts.filter(GpuFacts::integrated).isPresent();
    }

    private Finding dmaBuf() {
        return switch (facts.map(GpuFacts::dmaBuf).orElse(Support.UNKNOWN)) {
            case YES -> Finding.ok(Check.GPU_DMA_BUF, subject, ATTRIBUTES, "DMA_BUF_SUPPORTED is 1");
            case NO ->
                finding(
                        Check.GPU_DMA_BUF,
                        ATTRIBUTES,
                        WARNING,
                        "DMA_BUF_SUPPORTED is 0",
                        "the GPU's memory cannot be exported as a dma-buf",
                        "use the open kernel modules of driver 515 or newer, and Linux 5.12 or newer");
            case UNKNOWN ->
                finding(
                        Check.GPU_DMA_BUF,
                        ATTRIBUTES,
                        UNKNOWN,
                        NOT_QUERIED,
                        "it is unknown whether the GPU's memory can be exported as a dma-buf",
                        "");
        };
    }

    private Finding virtualMemory() {
        return switch (facts.map(GpuFacts::rdmaWithVmm).orElse(Support.UNKNOWN)) {
            case YES -> Finding.ok(Check.GPU_VMM, subject, ATTRIBUTES, "GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED is 1");
            case NO ->
                finding(
                        Check.GPU_VMM,
                        ATTRIBUTES,
                        NOTE,
                        "GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED is 0",
                        "memory from the virtual-memory API (cuMemCreate) cannot be registered; memory from"
                                + " cuMemAlloc can",
                        "");
            case UNKNOWN ->
                finding(
                        Check.GPU_VMM,
                        ATTRIBUTES,
                        UNKNOWN,
                        NOT_QUERIED,
                        "it is unknown whether memory from the virtual-memory API can be registered",
                        "");
        };
    }

    private Finding bar1() {
        if (gpu.function().isEmpty()) {
            return notInSysfs(Check.GPU_BAR1);
        }
        OptionalLong size = gpu.function().get().bar1();
        if (integrated()) {
            return finding(
                    Check.GPU_BAR1,
                    function,
                    NOTE,
                    "the GPU is integrated",
                    "its memory is host memory, so it has no BAR1 window",
                    "");
        }
        if (size.isEmpty()) {
            return finding(
                    Check.GPU_BAR1,
                    function,
                    UNKNOWN,
                    "the file 'resource' of " + gpu.address() + " lists no second memory window",
                    "GPUs in one package with their processor (Grace) have no BAR1; on all others it limits how"
                            + " much memory can be registered",
                    "");
        }
        String seen = "BAR1 is " + Bytes.words(size.getAsLong());
        if (facts.filter(GpuFacts::coherent).isPresent()) {
            return finding(
                    Check.GPU_BAR1,
                    function,
                    NOTE,
                    seen + inUse() + "; the GPU is connected to its processor by a coherent link (C2C)",
                    "the processor can address all of the GPU's memory over that link, so BAR1 does not limit it",
                    "");
        }
        if (facts.isEmpty() && size.getAsLong() <= SMALL_WINDOW) {
            return finding(Check.GPU_BAR1, function, WARNING, seen + inUse(), LIMIT, LARGER_WINDOW);
        }
        if (facts.isEmpty()) {
            return finding(
                    Check.GPU_BAR1,
                    function,
                    UNKNOWN,
                    seen + ", the size of the memory is unknown" + inUse(),
                    "no more memory than the size of BAR1 can be registered at the same time",
                    "");
        }
        String both = seen + ", memory " + Bytes.words(facts.get().memory()) + inUse();
        return size.getAsLong() >= facts.get().memory()
                ? Finding.ok(Check.GPU_BAR1, subject, function, both)
                : finding(Check.GPU_BAR1, function, WARNING, both, LIMIT, LARGER_WINDOW);
    }

    /** Describes how much all processes and the driver use together. No file contains this. */
    private String inUse() {
        Bar1Memory window = gpu.window();
        return window.isKnown()
                ? "; %s of it in use, %s free"
                        .formatted(
                                Bytes.words(window.used().getAsLong()),
                                Bytes.words(window.free().getAsLong()))
                : "; how much of it is in use is unknown: " + window.unknown();
    }

    private Finding link() {
        Optional<PciLink> link = gpu.function().map(PciFunction::link).filter(found -> found.bandwidth() > 0);
        if (link.isEmpty()) {
            return finding(
                    Check.GPU_LINK,
                    function,
                    UNKNOWN,
                    "sysfs does not report the speed and width of the link",
                    "a link with few or slow lanes limits bandwidth",
                    "");
        }
        String seen = link.get().toString();
        if (link.get().isNarrowed()) {
            return finding(
                    Check.GPU_LINK,
                    function,
                    WARNING,
                    seen,
                    "the link has fewer lanes than the GPU, which limits bandwidth",
                    "reseat the card, use a slot with all lanes, and check that no other slot shares its lanes");
        }
        return link.get().isSlowed()
                ? finding(
                        Check.GPU_LINK,
                        function,
                        NOTE,
                        seen,
                        "a GPU lowers the speed of its link while it is idle; if the speed stays low under load,"
                                + " the slot or a riser is slower than the GPU",
                        "check again under load, with this command or nvidia-smi -q -d PERFORMANCE,CLOCK")
                : Finding.ok(Check.GPU_LINK, subject, function, seen);
    }

    private Finding ordering() {
        int ordering = facts.map(GpuFacts::writesOrdering).orElse(-1);
        int options = facts.map(GpuFacts::flushOptions).orElse(-1);
        if (ordering < 0 || options < 0) {
            return finding(
                    Check.GPU_ORDERING,
                    ATTRIBUTES,
                    UNKNOWN,
                    NOT_QUERIED,
                    "it is unknown whether kernels see an adapter's writes without a flush",
                    "");
        }
        if (ordering >= OWNER) {
            return Finding.ok(
                    Check.GPU_ORDERING,
                    subject,
                    ATTRIBUTES,
                    "adapters' writes are seen in order by " + (ordering >= ALL_DEVICES ? "all GPUs" : "this GPU"));
        }
        String seen = "adapters' writes are not seen in order (GPU_DIRECT_RDMA_WRITES_ORDERING is 0)";
        if (facts.get().computeCapability() >= HOPPER) {
            return Finding.ok(
                    Check.GPU_ORDERING,
                    subject,
                    ATTRIBUTES,
                    "from Hopper on, a kernel that starts after the completion sees the writes before it");
        }
        if ((options & FLUSHED_BY_HOST) == 0) {
            return finding(
                    Check.GPU_ORDERING,
                    ATTRIBUTES,
                    WARNING,
                    seen + ", and the host cannot flush them",
                    "a kernel may read stale data",
                    "no action is needed: transfers are staged instead");
        }
        return finding(
                Check.GPU_ORDERING,
                ATTRIBUTES,
                NOTE,
                seen + "; the host can flush them",
                "received data must be flushed before a kernel reads it; DeviceRegion.absorb does that",
                "");
    }
}
