// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.gpudirect.topology.Topology;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostFilesTest {
    @TempDir
    Path root;

    private HostFiles files;

    @BeforeEach
    void prepare() throws IOException {
        Files.createDirectories(root.resolve("proc/self"));
        files = new HostFiles(root);
    }

    private void write(String file, String text) throws IOException {
        Files.writeString(root.resolve(file), text, StandardCharsets.ISO_8859_1);
    }

    /** One variable of somebody else, or one name of a folder, made the whole file one that cannot be read. */
    @Test
    void bytesThatAreNoUtf8HideNothingBesideThem() throws IOException {
        write("proc/self/environ", "NAME=M\u00fcller\0CUDA_VISIBLE_DEVICES=\0NCCL_IB_DISABLE=1\0");
        write("proc/self/mounts", "/dev/sda1 /M\u00fcller ext4 rw 0 0\n/dev/nvme0n1p1 /data xfs rw 0 0\n");
        GpuInventory none = new GpuInventory(Optional.empty(), 12080, List.of());
        assertThat(new VisibleDevices(files, Topology.read(root.resolve("sys")), none)
                        .finding()
                        .seen())
                .isEqualTo("CUDA_VISIBLE_DEVICES=: it names no GPU");
        assertThat(new NcclChecks(files).findings().getLast().seen()).contains("no RDMA");
        assertThat(new StorageChecks(files).findings().getLast().seen()).isEqualTo("cuFile may reach /data (xfs)");
    }

    @Test
    void ofGroupsWithoutGpuAndAdapterNothingElseIsSaid() throws IOException {
        Files.createDirectories(root.resolve("sys/kernel/iommu_groups/3"));
        write("sys/kernel/iommu_groups/3/type", "DMA-FQ\n");
        assertThat(IommuCheck.of(files, List.of()).seen())
                .isEqualTo("there is no GPU or adapter, and IOMMU groups are of type DMA-FQ");
    }
}
