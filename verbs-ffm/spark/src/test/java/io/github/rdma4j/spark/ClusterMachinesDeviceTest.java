// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * The master and the applications run in the first machine of {@code scripts/softroce --machines}, and a worker in each
 * of the others. The wire loses packets.
 */
@Tag("machines")
class ClusterMachinesDeviceTest extends ClusterJobsDeviceTest {
    private static String address(int machine) {
        return System.getenv("RDMA4J_ADDRESS_" + machine);
    }

    @Override
    List<String> addresses() {
        return machines().subList(1, machines().size());
    }

    @Override
    String master() {
        return address(1);
    }

    @Override
    List<String> own() {
        return List.of(master());
    }

    @Override
    List<String> machines() {
        return IntStream.rangeClosed(1, Integer.parseInt(System.getenv("RDMA4J_MACHINES")))
                .mapToObj(ClusterMachinesDeviceTest::address)
                .toList();
    }

    @Override
    void check(long bytes, long packets) throws IOException, InterruptedException {
        super.check(bytes, packets);
        assertThat(counted("out_of_seq_request") + counted("duplicate_request"))
                .as("packets that were missed or sent again")
                .isPositive();
    }

    @AfterAll
    static void endOthers() throws IOException {
        ClusterMachinesDeviceTest all = new ClusterMachinesDeviceTest();
        for (String worker : all.addresses()) {
            new SparkCluster.Running(worker, List.of(CommandServer.EXIT)).close();
        }
    }
}
