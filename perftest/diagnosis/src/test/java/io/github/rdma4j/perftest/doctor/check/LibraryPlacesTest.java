// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.gpudirect.topology.Topology;
import io.github.rdma4j.perftest.doctor.machine.GpuInventory;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the libraries of NCCL and cuFile are found. */
class LibraryPlacesTest {
    private static final String NCCL = "io.github.rdma4j.nccl.library";
    private static final String CUFILE = "io.github.rdma4j.cufile.library";

    @TempDir
    Path root;

    private MachineFiles files;

    @BeforeEach
    void prepare() throws IOException {
        Files.createDirectories(root.resolve("proc/self"));
        files = new MachineFiles(root);
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
        assertThat(new StorageChecks(files).findings().getLast().seen())
                .isEqualTo("cuFile may access directly: /data (xfs)");
    }

    /** A program finds the library there, although it is in none of the usual folders. */
    @Test
    void librariesAreWhereTheLoaderLooksFirst() throws IOException {
        Files.createDirectories(root.resolve("opt/nccl/lib"));
        write("opt/nccl/lib/libnccl.so.2", "");
        write("proc/self/environ", "LD_LIBRARY_PATH=:lib:/none:/opt/nccl/lib/\0");
        assertThat(new NcclChecks(files).findings().getFirst().seen())
                .isEqualTo("/opt/nccl/lib/libnccl.so.2 is libnccl.so.2");
        assertThat(new StorageChecks(files).findings().getFirst().seen())
                .isEqualTo("libcufile.so.0 is in none of the usual folders");
    }

    /** The remedy that the check itself names. */
    @Test
    void librariesAreWhereTheirPropertiesSay() throws IOException {
        MachineFiles machine = new MachineFiles(Path.of("/"));
        Path library = Files.createFile(root.resolve("libmine.so.2"));
        String nccl = System.getProperty(NCCL);
        String cuFile = System.getProperty(CUFILE);
        try {
            System.setProperty(NCCL, library.toString());
            System.setProperty(CUFILE, "/no/such/libcufile.so.0");
            assertThat(new NcclChecks(machine).findings().getFirst().seen())
                    .isEqualTo(library + ", which -Dio.github.rdma4j.nccl.library names, is libmine.so.2");
            Finding missing = new StorageChecks(machine).findings().getFirst();
            assertThat(missing.seen())
                    .isEqualTo(
                            "/no/such/libcufile.so.0, which -Dio.github.rdma4j.cufile.library names, does not exist");
            assertThat(missing.remedy()).contains("-Dio.github.rdma4j.cufile.library=FILE");
            System.setProperty(NCCL, root.toString());
            assertThat(new NcclChecks(machine).findings().getFirst().seen())
                    .isEqualTo(root + ", which -Dio.github.rdma4j.nccl.library names, is a folder");
            System.setProperty(NCCL, "");
            assertThat(new NcclChecks(machine).findings().getFirst().seen())
                    .isEqualTo("-Dio.github.rdma4j.nccl.library names no file");
            // They do not describe the files of another machine.
            assertThat(new NcclChecks(files).findings().getFirst().seen())
                    .isEqualTo("libnccl.so.2 is in none of the usual folders");
        } finally {
            restore(NCCL, nccl);
            restore(CUFILE, cuFile);
        }
    }

    private static void restore(String property, String value) {
        if (value == null) {
            System.clearProperty(property);
        } else {
            System.setProperty(property, value);
        }
    }
}
