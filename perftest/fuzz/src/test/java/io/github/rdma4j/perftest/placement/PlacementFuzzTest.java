// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.fuzz.Fuzzer;
import io.github.rdma4j.fuzz.Spoiler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Lists of CPUs that a user or the kernel writes, and the files of sysfs and procfs about them. */
@Timeout(7200)
class PlacementFuzzTest {
    /** A set of {@link CpuList#MOST} numbers and the parts of the text. */
    private static final long MOST_BYTES = 1 << 17;

    private static final String[] LISTS = {"0-3,8", "0,2,4,8", "0-8191", "17", "1-2, 5 - 7"};

    @Test
    void lists() throws Exception {
        new Fuzzer(new Spoiler(Fuzzer.bytes(LISTS)), IllegalArgumentException.class, MOST_BYTES, 1024)
                .feedText(input -> {
                    CpuList list = CpuList.parse(input);
                    assertThat(list.size()).isLessThanOrEqualTo(CpuList.MOST);
                    assertThat(CpuList.parse(list.toString())).isEqualTo(list);
                });
    }

    @Test
    void files(@TempDir Path root) throws Exception {
        List<Path> files = List.of(
                root.resolve("sys/devices/system/cpu/online"),
                root.resolve("sys/devices/system/node/online"),
                root.resolve("sys/devices/system/node/has_memory"),
                root.resolve("sys/devices/system/node/node0/cpulist"),
                root.resolve("sys/class/infiniband/mlx5_0/device/numa_node"),
                root.resolve("proc/thread-self/status"),
                root.resolve("proc/stat"),
                root.resolve("sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data"));
        for (Path file : files) {
            Files.createDirectories(file.getParent());
        }
        Spoiler texts = new Spoiler(
                Fuzzer.bytes(
                        "0-7\n",
                        "1\n",
                        "Cpus_allowed_list:\t0-7\nMems_allowed_list:\t0\n",
                        "cpu  100 20 3 5000 700 11 13 17 0 0\n"),
                "0-8191");
        int[] turn = {0};
        // A machine that claims CpuList.MOST nodes is asked for each of them.
        new Fuzzer(texts, null, CpuList.MOST * 8192L, 1 << 14).oneIn(4).feed(input -> {
            Files.write(files.get(turn[0]++ % files.size()), input);
            NumaTopology topology = NumaTopology.recorded(root);
            assertThat(topology.allowedCpus().size()).isLessThanOrEqualTo(CpuList.MOST);
            topology.allowedMemoryNodes();
            topology.nodes();
            topology.cpusOf(1);
            topology.nodeOfDevice("mlx5_0");
            CpuUsage usage = new CpuUsage(root.resolve("proc/stat"));
            usage.begin();
            usage.end();
            try {
                PortCounters.open(root.resolve("sys/class/infiniband"), "mlx5_0", 1, List.of("counters/port_xmit_data"))
                        .changes();
            } catch (IllegalArgumentException refused) {
                assertThat(refused.getMessage()).containsAnyOf("is no counter", "has no number");
                assertThat(refused.getMessage()).doesNotContain("\n");
            }
        });
    }
}
