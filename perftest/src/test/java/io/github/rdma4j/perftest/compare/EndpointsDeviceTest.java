// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.rdma4j.perftest.CommandRun;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The whole of it: two processes, endpoints of each kind and TCP, each message checked. */
@Tag("device")
@Timeout(600)
class EndpointsDeviceTest {
    private static final List<String> KINDS =
            List.of("endpoint", "endpoint-sums", "endpoint-failover", "endpoint-tcp", "tcp-java");

    @Test
    void eachMessageComesBackOverEach() throws IOException {
        CommandRun run = CommandRun.of("compare --endpoints --over rdma,sums,failover,tcp --no-warm-up --sizes 64"
                + " --connections 4 --rates 50 --seconds 1 --rounds 1 --out_json -");

        assertThat(run.status()).describedAs(run.err()).isZero();
        assertThat(run.err()).contains("(a software device)", "at 10.", "64 bytes, 4 connections", "CPU of   server");
        JsonNode json = new ObjectMapper().readTree(run.out());
        assertThat(json.at("/tests").findValuesAsText("implementation")).containsExactlyElementsOf(KINDS);
        for (JsonNode test : json.at("/tests")) {
            // A message that is lost or wrong ends the run.
            assertThat(test.at("/results/0/latency/samples").asInt()).isEqualTo(50);
            assertThat(test.at("/results/0/t_typical").asDouble()).isPositive();
            assertThat(test.at("/results/0/cpu/server_user_ns_per_message").isNumber())
                    .isTrue();
        }
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    @Test
    void anAddressWithoutADeviceIsNamed() {
        CommandRun run = CommandRun.of("compare --endpoints --address 192.0.2.1");

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err())
                .startsWith("compare: 192.0.2.1 is not the address of an RDMA device of this machine; looked at"
                        + " 192.0.2.1 (no RDMA device)")
                .contains("ip addr add");
    }
}
