// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResultsReaderTest {
    @TempDir
    private Path folder;

    private Document read(String text) {
        return ResultsReader.read(SampleDocuments.write(folder, "some.json", text));
    }

    @Test
    void readsAComparison() {
        Document document = read(SampleDocuments.everything());

        assertThat(document.name()).isEqualTo("some");
        assertThat(document.comparison()).isTrue();
        assertThat(document.seconds()).isEqualTo(95.5);
        assertThat(document.environment("device")).isEqualTo("rxe0");
        assertThat(document.environment("software_device")).isEqualTo("yes");
        assertThat(document.environment("firmware")).isEmpty();
        assertThat(document.environment("jvm_flags")).isEqualTo("-Xmx1g -Xms1g");
        assertThat(document.tests())
                .extracting(ProgramRun::party)
                .containsExactly(Party.JAVA, Party.C, Party.TCP_JAVA, Party.TCP_C, Party.JAVA, Party.C);
        Result first = document.tests().getFirst().results().getFirst();
        assertThat(first.size()).isEqualTo(2);
        assertThat(first.metric(Metric.MEDIAN)).isEqualTo(10.5);
        assertThat(first.metric(Metric.CPU)).isEqualTo(21);
        assertThat(first.ofRounds(Metric.MEDIAN)).containsExactly(10.5, 12.0);
        assertThat(first.best(Metric.MEDIAN)).isEqualTo(10.5);
        assertThat(first.ofRounds(Metric.CPU)).containsExactly(20.5, Double.NaN);
        assertThat(first.best(Metric.CPU)).isEqualTo(20.5);
        assertThat(first.percentiles().complete()).isTrue();
        assertThat(first.isLatency()).isTrue();
    }

    @Test
    void readsASingleTest() {
        String test = SampleDocuments.rdma("ib_write_lat", "rdma4j 1.0", SampleDocuments.latency(2, 10));
        Document document =
                read("{\"schema\": \"" + ResultsReader.SCHEMA + "1.json\", \"schema_version\": 1," + test.substring(1));

        assertThat(document.comparison()).isFalse();
        assertThat(document.tests())
                .singleElement()
                .extracting(ProgramRun::party)
                .isEqualTo(Party.JAVA);
    }

    @Test
    void readsWhatNewerCToolsWrite() {
        Document document = read("""
            {"test_info": {"test": "RDMA_Write Bidirectional BW Test", "Device": "mlx5_0", "Number_of_qps": 1},
             "results": {"MsgSize": 65536, "n_iterations": 5000, "BW_peak": 97.5, "BW_average": 97.25, "MsgRate": 0.18,
             "BW_unit": "Gb/sec"}}\
            """);

        ProgramRun test = document.tests().getFirst();
        assertThat(test.tool()).isEqualTo("ib_write_bw");
        assertThat(test.party()).isEqualTo(Party.C);
        assertThat(test.results().getFirst().metric(Metric.BANDWIDTH)).isCloseTo(97.25e9 / 8 / 1048576, within(1e-6));
        assertThat(test.results().getFirst().metric(Metric.RATE)).isCloseTo(180_000, within(1e-6));
    }

    /** Their documents do not name the unit, and have Gb/s after --report_gbits. */
    @ParameterizedTest
    @CsvSource({
        "65536, 98.10, 0.187111, true",
        "65536, 11694.43, 0.187111, false",
        // Both directions.
        "65536, 196.20, 0.187111, true",
        "65536, 23388.86, 0.187111, false",
        // A figure rounded up from half its last digit.
        "2, 0.01, 0.002600, false",
        "2, 0.000001, 0.000032, true",
        "8388608, 0.07, 0.000001, true",
        "8388608, 4.80, 0.000001, false",
    })
    void unitOfCToolsFollowsFromTheRateOfMessages(String size, double average, String rate, boolean gigabits) {
        Result result = ofC(size, average, rate);

        assertThat(result.gigabits()).isEqualTo(gigabits);
        assertThat(result.figure(Metric.BANDWIDTH.key())).isEqualTo(average);
    }

    @Test
    void bandwidthWithoutUnitAndRateIsLeftOut() {
        assertThat(ofC("8388608", 3.2, "0.000000").metric(Metric.BANDWIDTH)).isNaN();
    }

    private Result ofC(String size, double average, String rate) {
        return read("""
            {"test_info": {"test": "RDMA_Write_BW_Test"},
             "results": {"MsgSize": %s, "n_iterations": 5000, "BW_peak": 0, "BW_average": %s, "MsgRate": %s}}\
            """.formatted(size, average, rate))
                .tests()
                .getFirst()
                .results()
                .getFirst();
    }

    /** As series of their own, thousands of them took hours. */
    @Test
    void reportsOfAnEndlessRunAreItsRounds() {
        String periods = IntStream.rangeClosed(1, 10_000)
                .mapToObj(i -> "{\"MsgSize\": 64, \"n_iterations\": 10, \"BW_average\": " + i + ", \"BW_peak\": " + i
                        + ", \"MsgRate\": 1, \"BW_unit\": \"MiB/sec\"}")
                .collect(Collectors.joining(", "));
        Document document = read("{\"test_info\": {\"test\": \"RDMA_Write BW Test\"}, \"results\": [" + periods + "]}");

        Result result = assertThat(document.tests().getFirst().results())
                .singleElement()
                .actual();
        assertThat(result.iterations()).isEqualTo(100_000);
        assertThat(result.metric(Metric.BANDWIDTH)).isEqualTo(5000.5);
        assertThat(result.metric(Metric.PEAK)).isEqualTo(10_000);
        assertThat(result.ofRounds(Metric.BANDWIDTH)).hasSize(10_000).startsWith(1.0, 2.0);
        assertThat(Chapters.of(List.of(document)))
                .singleElement()
                .extracting(Chapter::series, as(LIST))
                .hasSize(1);
    }

    @Test
    void settingsOfABannerHaveTheNamesOfTheJson() {
        Document document = read(SampleDocuments.comparison(SampleDocuments.test(
                "ib_write_bw",
                "c",
                ", \"settings\": {\"TX depth\": \"128\", \"Mtu\": \"4096[B]\"}",
                SampleDocuments.bandwidth(2, 1))));

        ProgramRun test = document.tests().getFirst();
        assertThat(test.setting("TX_depth")).isEqualTo("128");
        assertThat(test.setting("Mtu")).isEqualTo("4096");
        assertThat(test.settings()).doesNotContainKey("settings");
    }

    @Test
    void bandwidthPeakOfZeroIsNone() {
        Document document = read(SampleDocuments.everything());

        assertThat(document.tests().getLast().results().getFirst().metric(Metric.PEAK))
                .isNaN();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "''                                                    | is not a results document: it is empty",
                "[1, 2]                                                | is not a results document: it is no JSON"
                        + " object",
                "local address: LID 0000                               | is not JSON: line 1",
                "{'a': 1                                               | is not JSON: line 1: the file ends in the middle: it was"
                        + " cut",
                "{'a': 1, 'a': 2}                                      | is not JSON: line 1: Duplicate field 'a'",
                "{}                                                    | it has no \"schema\"",
                "{'schema': 1, 'cases': []}                            | its \"schema\" is 1",
                "{'schema': 'x'}                                       | its \"schema\" is x",
                "{'schema': '@1.json'}                                 | schema_version is missing",
                "{'schema': '@2.json', 'schema_version': 2}            | has schema_version 2; this rdma4j understands"
                        + " versions up to 1",
                "{'schema': '@1.json', 'schema_version': 1}            | test_info is missing",
                "{'schema': '@1.json', 'schema_version': 1, 'tests': []} | has no results",
                "{'test_info': {'test': 'Send BW Test'}, 'results': []} | has no results",
                "{'state': 'peer lost', 'failure': 'gone', 'test_info': {'test': 'Send BW Test'}, 'results': []} | has no"
                        + " results: its state is peer lost (gone)",
                "{'test_info': {}, 'results': [{'MsgSize': 2}]}        | test_info.tool is missing",
                "{'test_info': {'tool': 'x'}, 'results': [{}]}         | results[0].MsgSize is missing",
                "{'test_info': {'tool': 'x'}, 'results': [{'MsgSize': 0}]} | results[0].MsgSize is 0",
                "{'test_info': {'tool': 'x'}, 'results': [{'MsgSize': 2.5}]} | results[0].MsgSize is not a whole"
                        + " number",
                "{'test_info': {'tool': 'x'}, 'results': [{'MsgSize': '2'}]} | results[0].MsgSize is not a number",
                "{'test_info': {'tool': 'x'}, 'results': [{'MsgSize': 2, 'BW_average': 1e999}]} | BW_average is not a"
                        + " number",
                "{'test_info': {'tool': 'x'}, 'results': [{'MsgSize': 2, 'latency': {'histogram': 'zzzz'}}]} | "
                        + "results[0].latency.histogram is not a compressed HdrHistogram",
                "{'test_info': {'tool': 'x'}, 'results': [{'MsgSize': 2, 'latency': {'percentiles': {'x': 1}}}]} | "
                        + "percentiles.x is not a percentile",
                "{'test_info': {'tool': 'x'}, 'results': [7]}          | results[0] is not an object",
            })
    void badDocumentsAreRefusedInOneLine(String text, String message) {
        String json = text.equals("''") ? "" : text.replace('\'', '"').replace("@", ResultsReader.SCHEMA);

        assertThatThrownBy(() -> read(json))
                .isInstanceOf(ReportException.class)
                .hasMessageStartingWith(folder.resolve("some.json").toString())
                .message()
                .contains(message)
                .doesNotContain("\n");
    }

    @Test
    void filesThatCannotBeReadAreNamed() {
        assertThatThrownBy(() -> ResultsReader.read(folder.resolve("none.json")))
                .isInstanceOf(ReportException.class)
                .hasMessage(folder.resolve("none.json") + " does not exist");
        assertThatThrownBy(() -> ResultsReader.read(folder))
                .isInstanceOf(ReportException.class)
                .hasMessage(folder + " cannot be read: it is a folder");
    }

    /**
     * With any value replaced by another kind of value, the document is either read and makes a page, or is refused
     * with a message.
     */
    @Test
    void noValueOfAnotherKindBreaksTheReader() throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        List<String> mutants = new ArrayList<>();
        JsonNode root = mapper.readTree(SampleDocuments.comparison(
                SampleDocuments.rdma("ib_write_lat", "java", SampleDocuments.latency(2, 10)),
                SampleDocuments.rdma("ib_write_bw", "c", SampleDocuments.bandwidth(64, 10))));
        for (String replacement :
                List.of("null", "-1", "0", "1e300", "\"<b>\"", "true", "[]", "{}", "[null]", "[[1]]")) {
            mutate(mapper, root, root, mapper.readTree(replacement), mutants);
        }
        int refused = 0;
        for (String mutant : mutants) {
            try {
                assertThat(new Page(List.of(read(mutant))).model(null)).containsKey("data");
            } catch (ReportException failure) {
                assertThat(failure.getMessage()).doesNotContain("\n");
                refused++;
            }
        }
        assertThat(mutants).hasSizeGreaterThan(500);
        assertThat(refused).isBetween(100, mutants.size() - 100);
        assertThat(Files.list(folder)).hasSize(1);
    }

    private static void mutate(
            ObjectMapper mapper, JsonNode root, JsonNode node, JsonNode replacement, List<String> mutants) {
        if (node instanceof ObjectNode object) {
            List<String> names = new ArrayList<>();
            object.fieldNames().forEachRemaining(names::add);
            for (String name : names) {
                JsonNode before = object.get(name);
                object.set(name, replacement);
                mutants.add(root.toString());
                object.set(name, before);
                mutate(mapper, root, before, replacement, mutants);
            }
        } else if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                JsonNode before = array.get(i);
                array.set(i, replacement);
                mutants.add(root.toString());
                array.set(i, before);
                mutate(mapper, root, before, replacement, mutants);
            }
        }
    }
}
