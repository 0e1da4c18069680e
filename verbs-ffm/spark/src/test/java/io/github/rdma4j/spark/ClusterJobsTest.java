// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

/** Where there is no RDMA: no job fails for it, and the log has the reason. */
class ClusterJobsTest extends ClusterJobs {
    @Override
    List<String> addresses() {
        return List.of("127.0.0.1", "127.0.0.2");
    }

    @Override
    String fetched() {
        return "over TCP: ";
    }

    @Override
    long packets() {
        return 0;
    }

    @Override
    void check(long bytes, long packets) {
        assertThat(bytes).isPositive();
    }
}
