// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;

/** Options to use GPU memory instead of host memory. Each side decides for its own memory; the peer is not informed. */
public final class GpuOptions {
    private static final String NO_GPU = ": for the memory of a GPU: give --use_cuda or --use_cuda_bus_id";

    private Integer ordinal;
    private String pciAddress;
    private boolean dmaBuf;
    private boolean dataDirect;
    private boolean pcieMapping;
    private Integer memoryType;
    private GpuPathChoice path;

    void declare(OptionList options) {
        options.number("--use_cuda")
                .label("<device>")
                .within(0, 1023)
                .description("Take the buffer from this CUDA device, by number.")
                .into(value -> ordinal = value);
        options.value(String.class, "--use_cuda_bus_id")
                .label("<address>")
                .description("Take the buffer from the CUDA device at this PCI address, like 0000:17:00.0.")
                .into(value -> pciAddress = value);
        options.flag("--use_cuda_dmabuf")
                .description("Register GPU memory as a dma-buf, like --gpu-path dmabuf.")
                .into(value -> dmaBuf = value);
        options.flag("--use_data_direct")
                .description("Register GPU memory through the adapter's Data Direct engine, like --gpu-path"
                        + " datadirect.")
                .into(value -> dataDirect = value);
        options.flag("--use_cuda_pcie_mapping")
                .description("Reach the dma-buf over PCIe, even if the GPU also has another link.")
                .into(value -> pcieMapping = value);
        options.number("--cuda_mem_type")
                .label("<type>")
                .within(0, 4)
                .description("Type of the memory: 0 device, 1 managed, 4 host memory that is not pinned (default 0).")
                .into(value -> memoryType = value);
        options.value(GpuPathChoice.class, "--gpu-path")
                .label("<path>")
                .converter(new GpuPathChoice.Converter())
                .description("rdma4j: the path between adapter and GPU memory: auto, dmabuf, datadirect, peermem or"
                        + " staged (default auto: the first of dmabuf, peermem and staged that works).")
                .into(value -> path = value);
    }

    void check(MemoryOptions memory, int inlineSize, long size) {
        IllegalParameterException.when(
                ordinal != null && pciAddress != null,
                "--use_cuda and --use_cuda_bus_id exclude each other: both name the GPU");
        IllegalParameterException.when(
                pciAddress != null && pciAddress.isBlank(),
                "--use_cuda_bus_id: '' is no PCI address; give one like 0000:17:00.0");
        IllegalParameterException.when(
                wanted() && memory.nullRegion(),
                "--use-null-mr takes the place of any memory: leave out --use_cuda and --use_cuda_bus_id");
        if (!wanted()) {
            IllegalParameterException.when(dmaBuf, "--use_cuda_dmabuf" + NO_GPU);
            IllegalParameterException.when(dataDirect, "--use_data_direct" + NO_GPU);
            IllegalParameterException.when(pcieMapping, "--use_cuda_pcie_mapping" + NO_GPU);
            IllegalParameterException.when(memoryType != null, "--cuda_mem_type" + NO_GPU);
            IllegalParameterException.when(path != null, "--gpu-path" + NO_GPU);
            return;
        }
        checkPath();
        IllegalParameterException.when(
                memory.mappedFile() != null, "--mmap and --use_cuda exclude each other: the buffer is of one kind");
        IllegalParameterException.when(
                memory.hugePages(), "--use_hugepages and --use_cuda exclude each other: the buffer is of one kind");
        IllegalParameterException.when(
                memory.regionPerQueuePair(),
                "--mr_per_qp and --use_cuda exclude each other: GPU memory is registered as a whole");
        checkType(memory);
        IllegalParameterException.when(
                !hostAddressable(memory) && inlineSize >= size,
                () -> "-I/--inline_size: " + inlineSize + " is not allowed with GPU memory, which the processor cannot"
                        + " copy into a work request; less than " + size + ", the size of a message");
    }

    private void checkPath() {
        IllegalParameterException.when(
                dataDirect && path != null && path != GpuPathChoice.DATADIRECT,
                () -> "--use_data_direct and --gpu-path " + path.word() + " exclude each other");
        IllegalParameterException.when(
                dmaBuf && path != null && path != GpuPathChoice.DMABUF && path != GpuPathChoice.DATADIRECT,
                () -> "--use_cuda_dmabuf and --gpu-path " + path.word() + " exclude each other");
        IllegalParameterException.when(
                pcieMapping && (path() == GpuPathChoice.PEERMEM || path() == GpuPathChoice.STAGED),
                () -> "--use_cuda_pcie_mapping and --gpu-path " + path.word()
                        + " exclude each other: the mapping is a dma-buf's");
    }

    private void checkType(MemoryOptions memory) {
        IllegalParameterException.when(
                memoryType != null && type() == null,
                () -> "--cuda_mem_type: " + memoryType + " is not allowed; 0 (device), 1 (managed) or 4 (malloc), the"
                        + " types that the C tools can allocate");
        IllegalParameterException.when(
                type() != GpuMemoryType.DEVICE && path().isDirect(),
                () -> pathOption() + " is for device memory: "
                        + type().words() + " (--cuda_mem_type " + memoryType + ") moves, and an adapter that held its"
                        + " address would reach other pages");
        IllegalParameterException.when(
                type() == GpuMemoryType.MALLOC && !memory.onDemand(),
                "--cuda_mem_type 4 is host memory that is not pinned: give --odp, as the C tools ask for, or leave out"
                        + " --use_cuda");
        IllegalParameterException.when(
                type() == GpuMemoryType.DEVICE && memory.onDemand(),
                "--odp: device memory does not page; leave it out, or give --cuda_mem_type 1 or 4");
        IllegalParameterException.when(
                memory.onDemand() && path != null && path != GpuPathChoice.AUTO,
                () -> "--odp and --gpu-path " + path().word()
                        + " exclude each other: on demand the adapter itself faults pages in");
    }

    /** Returns whether the buffer is a GPU's. */
    public boolean wanted() {
        return ordinal != null || pciAddress != null;
    }

    /** Returns the number of the GPU; null if its address is given. */
    public Integer ordinal() {
        return ordinal;
    }

    /** Returns the PCI address of the GPU; null if its number is given. */
    public String pciAddress() {
        return pciAddress;
    }

    /** The kind of memory. */
    public GpuMemoryType type() {
        return memoryType == null ? GpuMemoryType.DEVICE : GpuMemoryType.of(memoryType);
    }

    /** Returns the chosen path. */
    public GpuPathChoice path() {
        if (dataDirect) {
            return GpuPathChoice.DATADIRECT;
        }
        return path != null ? path : dmaBuf ? GpuPathChoice.DMABUF : GpuPathChoice.AUTO;
    }

    /** Returns whether a dma-buf is mapped over PCI Express, even if the GPU has another link. */
    public boolean pcieMapping() {
        return pcieMapping;
    }

    private String pathOption() {
        return dataDirect ? "--use_data_direct" : dmaBuf ? "--use_cuda_dmabuf" : "--gpu-path " + path().word();
    }

    /**
     * Returns whether the CPU accesses the buffer like its own memory, as for memory that is paged on demand.
     */
    private boolean hostAddressable(MemoryOptions memory) {
        return type() == GpuMemoryType.MALLOC || type() == GpuMemoryType.MANAGED && memory.onDemand();
    }
}
