// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.rdma4j.perftest.options.TestParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.result.BandwidthResult;
import io.github.rdma4j.perftest.result.Results;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.result.TestInfo;
import java.io.ByteArrayOutputStream;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonReportTest {
    private static TestInfo info(Tool tool, String... arguments) {
        return Results.info(TestParameters.parse(tool, arguments));
    }

    @Test
    void theJsonIsOneDocumentWithAllSizes() throws Exception {
        List<SizeResult> results = List.of(Results.latency(2, 1000), Results.latency(4, 1000));
        JsonNode json = json(info(Tool.WRITE_LATENCY, "-a"), results);
        assertThat(json.at("/test_info/test").asText()).isEqualTo("RDMA_Write Latency Test");
        assertThat(json.at("/test_info/Device").asText()).isEqualTo("rxe0");
        assertThat(json.at("/test_info/Mtu").asInt()).isEqualTo(4096);
        assertThat(json.at("/test_info/role").asText()).isEqualTo("server");
        assertThat(json.at("/test_info/peer_wire_version").asText()).isEqualTo("6.06");
        assertThat(json.get("results")).hasSize(2);
        assertThat(json.at("/results/0/MsgSize").asInt()).isEqualTo(2);
        assertThat(json.at("/results/0/t_min").asDouble()).isEqualTo(9.53);
        assertThat(json.at("/results/0/latency/samples_beyond/99").asInt()).isEqualTo(9);
        assertThat(json.at("/results/1/t_max").asDouble()).isEqualTo(97.07);
    }

    @Test
    void theJsonOfOtherResults() throws Exception {
        TestInfo bandwidth = info(Tool.WRITE_BANDWIDTH, "x");
        JsonNode json = json(bandwidth, List.of(new BandwidthResult(65536, 5000, Double.NaN, 43.3, 0.000693, false)));
        assertThat(json.at("/results/0/BW_peak").isNull()).isTrue();
        assertThat(json.at("/results/0/BW_average").asDouble()).isEqualTo(43.3);
        assertThat(json.at("/results/0/BW_unit").asText()).isEqualTo("MiB/sec");
        assertThat(json.at("/test_info/role").asText()).isEqualTo("client");
        JsonNode timed = json(bandwidth, List.of(Results.timed(2, 80_284, null)));
        assertThat(timed.at("/results/0/tps_average").asDouble()).isEqualTo(40142);
    }

    @Test
    void aPauseIsToldAsTheTimesHaveIt() throws Exception {
        List<SizeResult> results = List.of(Results.latency(2, 1000));
        JsonNode json = json(info(Tool.READ_LATENCY, "--latency_gap=1500"), results);
        assertThat(json.at("/test_info/latency_gap_usec").asInt()).isEqualTo(1500);
        assertThat(json(info(Tool.READ_LATENCY), results).at("/test_info").has("latency_gap_usec"))
                .isFalse();
    }

    private static JsonNode json(TestInfo info, List<SizeResult> results) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        JsonReport.write(Results.outcome(info, results), out);
        return new ObjectMapper().readTree(out.toByteArray());
    }
}
