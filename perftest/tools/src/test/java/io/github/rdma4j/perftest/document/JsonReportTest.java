// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.result.BandwidthResult;
import io.github.rdma4j.perftest.result.Pace;
import io.github.rdma4j.perftest.result.Results;
import io.github.rdma4j.perftest.result.RunInfo;
import io.github.rdma4j.perftest.result.SizeResult;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class JsonReportTest {
    private static RunInfo info(Tool tool, String... arguments) {
        return Results.info(RunParameters.parse(tool, arguments));
    }

    @Test
    void documentHasTheLastSizeAsCAndAllSizesApart() throws Exception {
        List<SizeResult> results = List.of(Results.latency(2, 1000), Results.latency(4, 1000));
        JsonNode json = json(info(Tool.WRITE_LATENCY, "-a"), results);
        assertThat(json.at("/test_info/test").asText()).isEqualTo("RDMA_Write_Latency_Test");
        assertThat(json.at("/test_info/Device").asText()).isEqualTo("rxe0");
        assertThat(json.at("/test_info/Mtu").asInt()).isEqualTo(4096);
        assertThat(json.at("/rdma4j/test/role").asText()).isEqualTo("server");
        assertThat(json.at("/rdma4j/test/peer_wire_version").asText()).isEqualTo("6.06");
        assertThat(json.at("/results/MsgSize").asInt()).isEqualTo(4);
        assertThat(json.at("/results/t_min").asDouble()).isEqualTo(9.53);
        assertThat(json.at("/results/t_max").asDouble()).isEqualTo(97.07);
        assertThat(json.at("/rdma4j/sizes")).hasSize(2);
        assertThat(json.at("/rdma4j/sizes/0/size").asInt()).isEqualTo(2);
        assertThat(json.at("/rdma4j/sizes/0/latency/samples_beyond/99").asInt()).isEqualTo(9);
        assertThat(json.at("/rdma4j/sizes/1/latency/max").asDouble()).isEqualTo(97.07);
    }

    @Test
    void jsonOfOtherResults() throws Exception {
        RunInfo bandwidth = info(Tool.WRITE_BANDWIDTH, "x");
        JsonNode json = json(bandwidth, List.of(new BandwidthResult(65536, 5000, Double.NaN, 43.3, 0.000693, false)));
        assertThat(json.at("/results/BW_peak").asDouble()).isZero();
        assertThat(json.at("/results/BW_average").asDouble()).isEqualTo(43.3);
        assertThat(json.at("/rdma4j/sizes/0/bandwidth/peak").isNull()).isTrue();
        assertThat(json.at("/rdma4j/sizes/0/bandwidth/average").asDouble()).isEqualTo(43.3);
        assertThat(json.at("/rdma4j/sizes/0/bandwidth/unit").asText()).isEqualTo("MiB/sec");
        assertThat(json.at("/rdma4j/test/role").asText()).isEqualTo("client");
        JsonNode timed = json(bandwidth, List.of(Results.timed(2, 80_284, null)));
        assertThat(timed.at("/results/tps_average").asDouble()).isEqualTo(40142);
    }

    @Test
    void pauseIsReportedAsTheTimesHaveIt() throws Exception {
        List<SizeResult> results = List.of(Results.latency(2, 1000));
        JsonNode json = json(info(Tool.READ_LATENCY, "--latency_gap=1500"), results);
        assertThat(json.at("/rdma4j/test/latency_gap_usec").asInt()).isEqualTo(1500);
        assertThat(json(info(Tool.READ_LATENCY), results).at("/rdma4j/test").has("latency_gap_usec"))
                .isFalse();
    }

    /** A script that looks for a key as text must find one number, whatever the options. */
    @Test
    void noKeyOfCAppearsTwice() throws Exception {
        for (SizeResult result : List.of(
                Results.bandwidth(4096, 3, true),
                Results.latency(2, 1000, 3, new Pace(1000, 999)),
                Results.timed(2, 100, null))) {
            Tool tool = result instanceof BandwidthResult ? Tool.WRITE_BANDWIDTH : Tool.WRITE_LATENCY;
            String text = text(info(tool, "localhost"), List.of(result, result));
            JsonNode json = new ObjectMapper().readTree(text);
            List<String> keys = new ArrayList<>();
            json.get("test_info").fieldNames().forEachRemaining(keys::add);
            json.get("results").fieldNames().forEachRemaining(keys::add);
            assertThat(keys).contains("MsgSize", "n_iterations", "Device");
            for (String key : keys) {
                // "test" is a word that other keys have in them.
                assertThat(text.split("\"" + Pattern.quote(key) + "\": ", -1))
                        .as(key)
                        .hasSize(key.equals("test") ? 3 : 2);
                if (json.get("results").has(key) && !key.equals("percentile_99")) {
                    assertThat(text.split(Pattern.quote(key), -1)).as(key).hasSize(2);
                }
            }
        }
    }

    @Test
    void numbersHaveTheDecimalsOfCAndNoExponent() throws Exception {
        RunInfo info = info(Tool.WRITE_BANDWIDTH, "localhost");
        assertThat(text(info, List.of(new BandwidthResult(2, 5000, 1e-5, 4.38e-6, 7e-7, true))))
                .contains("\n\"BW_peak\": 0.000010,\n\"BW_average\": 0.000004,\n\"MsgRate\": 0.000001\n}");
        assertThat(text(info, List.of(new BandwidthResult(65536, 5000, 12_345_678.9, 43.3, 0.000693, false))))
                .contains("\n\"BW_peak\": 12345678.90,\n\"BW_average\": 43.30,\n\"MsgRate\": 0.000693\n}");
    }

    @Test
    void oneNumberHasTheKeyOfC() throws Exception {
        BandwidthResult bandwidth = new BandwidthResult(65536, 5000, 50, 43.3, 0.000693, false);
        assertThat(json(info(Tool.READ_BANDWIDTH, "--output=bandwidth"), List.of(bandwidth))
                        .get("results"))
                .hasToString("{\"bw_avg\":43.3}");
        assertThat(json(info(Tool.READ_BANDWIDTH, "--output=message_rate"), List.of(bandwidth))
                        .get("results"))
                .hasToString("{\"msgRate_avg\":6.93E-4}");
        assertThat(json(info(Tool.WRITE_LATENCY, "--output=latency"), List.of(Results.latency(2, 1000)))
                        .get("results")
                        .fieldNames())
                .toIterable()
                .containsExactly("avg_lat");
    }

    private static JsonNode json(RunInfo info, List<SizeResult> results) throws Exception {
        return new ObjectMapper().readTree(text(info, results));
    }

    private static String text(RunInfo info, List<SizeResult> results) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        JsonReport.write(Results.outcome(info, results), out);
        return out.toString(StandardCharsets.UTF_8);
    }
}
