// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.cm.CmTestNet;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
    long packets() throws IOException {
        long sum = 0;
        try (DirectoryStream<Path> devices = Files.newDirectoryStream(Path.of("/sys/class/infiniband"))) {
            for (Path device : devices) {
                sum += Long.parseLong(Files.readString(device.resolve("ports/1/hw_counters/sent_pkts"))
                        .strip());
            }
        }
        return sum;
    }

    @Override
    void check(long bytes, long packets) {
        assertThat(packets * LONGEST_PACKET)
                .as("what %d packets carry", packets)
                .isGreaterThanOrEqualTo(bytes);
    }
}
