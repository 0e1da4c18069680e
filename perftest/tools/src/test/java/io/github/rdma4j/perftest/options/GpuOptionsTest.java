// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuOptionsTest {
    private static GpuOptions parse(String options) {
        List<String> arguments = options.isEmpty() ? List.of() : List.of(options.split(" "));
        return RunParameters.parse(Tool.WRITE_BANDWIDTH, arguments).gpu();
    }

    @Test
    void withoutItTheMemoryIsTheHosts() {
        assertThat(parse("").wanted()).isFalse();
    }

    @Test
    void gpuIsNamedByNumberOrAddress() {
        assertThat(parse("--use_cuda=1").ordinal()).isEqualTo(1);
        GpuOptions options = parse("--use_cuda_bus_id 17:00.0");
        assertThat(options.wanted()).isTrue();
        assertThat(options.ordinal()).isNull();
        assertThat(options.pciAddress()).isEqualTo("17:00.0");
        assertThat(options.type()).isEqualTo(GpuMemoryType.DEVICE);
        assertThat(options.path()).isEqualTo(GpuPathChoice.AUTO);
    }

    @ParameterizedTest
    @CsvSource({
        "--use_cuda=0, AUTO, DEVICE",
        "--use_cuda_dmabuf --use_cuda=0, DMABUF, DEVICE",
        "--use_cuda=0 --use_cuda_dmabuf --gpu-path dmabuf, DMABUF, DEVICE",
        "--use_cuda=0 --use_cuda_dmabuf --use_cuda_pcie_mapping, DMABUF, DEVICE",
        "--use_cuda=0 --use_cuda_dmabuf --use_data_direct, DATADIRECT, DEVICE",
        "--use_cuda=0 --use_data_direct --use_cuda_pcie_mapping, DATADIRECT, DEVICE",
        "--use_cuda=0 --gpu-path=datadirect, DATADIRECT, DEVICE",
        "--use_cuda=0 --gpu-path=peermem, PEERMEM, DEVICE",
        "--use_cuda=0 --gpu-path staged, STAGED, DEVICE",
        "--use_cuda=0 --cuda_mem_type=0 --gpu-path auto, AUTO, DEVICE",
        "--use_cuda=0 --cuda_mem_type=1, AUTO, MANAGED",
        "--use_cuda=0 --cuda_mem_type=1 --gpu-path staged, STAGED, MANAGED",
        "--use_cuda=0 --cuda_mem_type=1 --odp, AUTO, MANAGED",
        "--use_cuda=0 --cuda_mem_type=4 --odp, AUTO, MALLOC"
    })
    void pathAndTypeOfMemory(String arguments, GpuPathChoice path, GpuMemoryType type) {
        GpuOptions options = parse(arguments);
        assertThat(options.path()).isEqualTo(path);
        assertThat(options.type()).isEqualTo(type);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--use_cuda=-1 | --use_cuda: -1 is out of range; allowed is 0 to 1023",
                "--use_cuda=x | --use_cuda: 'x' is not a whole number",
                "--use_cuda=0 --use_cuda_bus_id=17:00.0 | --use_cuda and --use_cuda_bus_id exclude each other",
                "--use_cuda_bus_id= | --use_cuda_bus_id has no value",
                "--use_cuda_dmabuf | --use_cuda_dmabuf: for the memory of a GPU: give --use_cuda",
                "--use_data_direct | --use_data_direct: for the memory of a GPU: give --use_cuda",
                "--use_cuda_pcie_mapping | --use_cuda_pcie_mapping: for the memory of a GPU: give --use_cuda",
                "--use_cuda=0 --use_data_direct --gpu-path=dmabuf | --use_data_direct and --gpu-path dmabuf exclude",
                "--use_cuda=0 --use_cuda_pcie_mapping --gpu-path=peermem | --use_cuda_pcie_mapping and --gpu-path peermem"
                        + " exclude each other: the mapping is a dma-buf's",
                "--use_cuda=0 --cuda_mem_type=1 --use_data_direct | --use_data_direct is for device memory: managed",
                "--cuda_mem_type=0 | --cuda_mem_type: for the memory of a GPU: give --use_cuda",
                "--gpu-path=auto | --gpu-path: for the memory of a GPU: give --use_cuda",
                "--use_cuda=0 --gpu-path=fast | option '--gpu-path': 'fast' is unknown; allowed is auto, dmabuf,"
                        + " datadirect, peermem, staged",
                "--use_cuda=0 --use_cuda_dmabuf --gpu-path=staged | --use_cuda_dmabuf and --gpu-path staged exclude",
                "--use_cuda=0 --cuda_mem_type=2 | --cuda_mem_type: 2 is not allowed; 0 (device), 1 (managed) or 4",
                "--use_cuda=0 --cuda_mem_type=5 | --cuda_mem_type: 5 is out of range; allowed is 0 to 4",
                "--use_cuda=0 --cuda_mem_type=1 --gpu-path=peermem | --gpu-path peermem is for device memory: managed",
                "--use_cuda=0 --cuda_mem_type=1 --use_cuda_dmabuf | --use_cuda_dmabuf is for device memory: managed",
                "--use_cuda=0 --cuda_mem_type=4 | --cuda_mem_type 4 is host memory that is not pinned: give --odp",
                "--use_cuda=0 --odp | --odp: device memory does not page",
                "--use_cuda=0 --odp --cuda_mem_type=1 --gpu-path=staged | --odp and --gpu-path staged exclude",
                "--use_cuda=0 --mr_per_qp | --mr_per_qp and --use_cuda exclude each other",
                "--use_cuda=0 --use_hugepages | --use_hugepages and --use_cuda exclude each other",
                "--use_cuda=0 -s 64 -I 64 | -I/--inline_size: 64 is not allowed with GPU memory",
                "--use_cuda=0 -a -I 2 | -I/--inline_size: 2 is not allowed with GPU memory"
            })
    void contradictionsAreRefused(String arguments, String message) {
        assertThatThrownBy(() -> parse(arguments))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessageContaining(message);
    }

    @Test
    void smallInlineSizesDoNotMatterToLargerMessages() {
        assertThat(parse("--use_cuda=0 -s 65 -I 64").wanted()).isTrue();
    }
}
