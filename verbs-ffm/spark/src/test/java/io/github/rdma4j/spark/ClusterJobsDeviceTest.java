// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.cm.CmTestNet;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;

/** Between two devices of this machine. The counters of the devices show where the blocks went. */
@Tag("device")
class ClusterJobsDeviceTest extends ClusterJobs {
    private static final int LONGEST_PACKET = 4096;

    @Override
    List<String> addresses() {
        List<InetAddress> found = CmTestNet.addresses();
        return List.of(found.getFirst().getHostAddress(), found.getLast().getHostAddress());
    }

    @Override
    String fetched() {
        return "over RDMA";
    }

    @Override
    long packets() throws IOException, InterruptedException {
        return counted("sent_pkts");
    }

    /** {@return the sum of a counter of all devices} */
    final long counted(String counter) throws IOException, InterruptedException {
        long sum = 0;
        for (String machine : machines()) {
            String files = "/sys/class/infiniband/*/ports/1/hw_counters/" + counter;
            try (SparkCluster.Running reading =
                    new SparkCluster.Running(machine, List.of("sh", "-c", "echo COUNTED $(cat " + files + ")"))) {
                sum += Stream.of(reading.await("COUNTED ").split(" "))
                        .mapToLong(Long::parseLong)
                        .sum();
            }
        }
        return sum;
    }

    /** An address of each machine. */
    List<String> machines() {
        return List.of(master());
    }

    @Override
    void check(long bytes, long packets) throws IOException, InterruptedException {
        assertThat(packets * LONGEST_PACKET)
                .as("what %d packets carry", packets)
                .isGreaterThanOrEqualTo(bytes);
    }
}
