// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.github.rdma4j.perftest.CommandRun;
import io.github.rdma4j.perftest.doctor.RecordedHost;
import io.github.rdma4j.perftest.predict.machine.DescribedMachines;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

class PredictCommandTest {
    private static final List<String> NAMES = DescribedMachines.NAMES;

    @TempDir
    private Path folder;

    private static CommandRun run(RecordedHost host, String... arguments) {
        return CommandRun.of((out, err) -> PredictCommand.run(List.of(arguments), host.sources(), out, err));
    }

    /** On a machine of which nothing can be read. */
    private CommandRun described(String... arguments) {
        return run(RecordedHost.empty(folder.resolve("nothing")), arguments);
    }

    private RecordedHost recorded(String name) {
        return RecordedHost.of(name, folder.resolve("machine"));
    }

    private static JsonNode json(CommandRun run) throws IOException {
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        String schema = Files.readString(Path.of("../../docs/predict.schema.json"));
        assertThat(SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                        .getSchema(schema)
                        .validate(run.out(), InputFormat.JSON))
                .isEmpty();
        return new ObjectMapper().readTree(run.out());
    }

    private static JsonNode path(JsonNode document, String key) {
        for (JsonNode path : document.get("paths")) {
            if (path.get("path").asText().equals(key)) {
                return path;
            }
        }
        throw new AssertionError("no path " + key + " in " + document.get("paths"));
    }

    @Test
    void inputFileIsNotOverwritten() throws IOException {
        Path measured = Files.writeString(folder.resolve("measured.json"), "{}");
        Path link = Files.createSymbolicLink(folder.resolve("link.json"), measured);
        for (String option : List.of("--calibrate", "--machine")) {
            CommandRun run = described(option, measured.toString(), "--json", link.toString());
            assertThat(run.status()).isEqualTo(2);
            assertThat(run.err()).contains("--json: the document would take the place of " + measured);
        }
        assertThat(measured).hasContent("{}");
    }

    /**
     * The output with every kind of path is compared with a file, word for word. After a change of the model or of the
     * machine, write the file again with {@code scripts/rdma4j predict --machine dgx-h100} and review the difference.
     */
    @Test
    void pageOfAMachineWithAllPaths() throws IOException {
        CommandRun run = described("--machine", "dgx-h100");
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        try (InputStream page = PredictCommandTest.class.getResourceAsStream("dgx-h100.txt")) {
            assertThat(run.out()).isEqualTo(new String(page.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static List<String> keys(JsonNode document) {
        List<String> keys = new ArrayList<>();
        document.get("paths").forEach(path -> keys.add(path.get("path").asText()));
        return keys;
    }

    @ParameterizedTest
    @FieldSource("NAMES")
    void everyDescribedMachineIsPredictedByTheSchema(String name) throws IOException {
        JsonNode document = json(described("--machine", name, "--json"));
        assertThat(document.at("/machine/sources")).isNotEmpty();
        assertThat(keys(document)).startsWith("host");
        for (JsonNode path : document.get("paths")) {
            double limit = path.get("limit").asDouble();
            for (JsonNode size : path.get("sizes")) {
                assertThat(size.get("expected").asDouble()).isPositive().isLessThanOrEqualTo(limit * 1.001);
            }
        }
        CommandRun page = described("--machine", name);
        assertThat(page.out().lines()).allMatch(line -> line.length() <= 120);
        assertThat(page.out())
                .contains("host to host, RDMA: at most ")
                .contains("   message     data rate  share of limit  CPU time per GiB  limited by\n");
    }

    @Test
    void serverWithGpusHasEveryPath() throws IOException {
        JsonNode document = json(described("--machine", "dgx-h100", "--json"));
        assertThat(keys(document))
                .containsExactly("host", "gpudirect", "staged", "tcp", "copy", "nvlink", "file", "file-staged");
        assertThat(path(document, "host").get("bottleneck").asText())
                .isEqualTo("InfiniBand 400 Gbit/s, MTU 4096, to the receiver");
        assertThat(path(document, "staged").get("copies")).hasSize(4);
        assertThat(path(document, "tcp").get("bottleneck").asText()).isEqualTo("processor");
    }

    @Test
    void machinesAreListed() {
        CommandRun run = described("--machines");
        assertThat(run.status()).isZero();
        assertThat(run.out().lines()).hasSameSizeAs(NAMES);
        assertThat(run.out()).contains("dgx-a100", "ConnectX-6 HDR below a PCIe switch");
    }

    @Test
    void pathsSizesAndDepthCanBeChosen() throws IOException {
        JsonNode document = json(described(
                "--machine",
                "dgx-a100",
                "--path",
                "gpudirect,host",
                "--sizes",
                "1M,64K,64k",
                "--depth",
                "1",
                "--json"));
        assertThat(keys(document)).containsExactly("gpudirect", "host");
        JsonNode sizes = path(document, "host").get("sizes");
        assertThat(sizes).hasSize(2);
        assertThat(sizes.get(0).get("size").asInt()).isEqualTo(65_536);
        assertThat(sizes.get(0).get("bound").asText()).isEqualTo("depth");
        assertThat(document.get("depth").asInt()).isEqualTo(1);
    }

    /** A ConnectX-7 whose config space is hidden. */
    @Test
    void recordedMachineIsRead() throws IOException {
        JsonNode document = json(run(recorded("h100-infiniband"), "--json"));
        JsonNode host = path(document, "host");
        assertThat(host.get("bottleneck").asText()).isEqualTo("InfiniBand 400 Gbit/s, MTU 4096, to the receiver");
        assertThat(host.get("limit").asDouble() / 1e9).isBetween(49.6, 49.7);
        assertThat(document.at("/machine/assumptions").toString())
                .contains("mlx5_1: MaxPayload 256", "host memory limits nothing");
    }

    @Test
    void remoteNumaNodeIsReported() throws IOException {
        assertThat(json(run(recorded("irdma"), "--json"))
                        .at("/machine/assumptions")
                        .toString())
                .contains("memory is on the NUMA node of irdma0", "numactl --cpunodebind=");
        assertThat(json(run(RecordedHost.of("h100-infiniband", folder.resolve("one-node")), "--json"))
                        .at("/machine/assumptions")
                        .toString())
                .doesNotContain("NUMA node");
    }

    @Test
    void packetSizesComeFromTheConfigSpace() throws IOException {
        RecordedHost host = recorded("h100-infiniband").with("""
            sys/devices/pci0000:15/0000:19:00.0/config: @0 b3 15 21 10 06 04 10 00 @34 40 @40 10 00 02 00 @48 40 50 @ff 00
            """);
        JsonNode document = json(run(host, "--device", "mlx5_1", "--json"));
        assertThat(document.at("/machine/assumptions").toString()).doesNotContain("MaxPayload");
        double perByte = 0;
        for (JsonNode link : path(document, "host").get("links")) {
            if (link.get("link").asText().equals("PCIe 5 x16 of the receiver's adapter, from the adapter")) {
                perByte = link.get("bytes_per_byte").asDouble();
            }
        }
        assertThat(perByte).isEqualTo(1 + 24.0 / 512);
    }

    /** A capability list that leads back into itself, and one that ends outside. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "@0 b3 15 21 10 06 04 10 00 @34 40 @40 01 40 @ff 00",
                "@0 b3 15 21 10 06 04 10 00 @34 fc @fc 10 00 00 00",
                "@0 b3 15 21 10 06 04 10 00 @34 40 @3f 00",
                "@0 b3 15 21 10 06 04 10 00 @34 40 @40 10 00 02 00 @48 e0 70 @ff 00",
            })
    void brokenConfigSpaceIsAnAssumption(String config) throws IOException {
        RecordedHost host = recorded("h100-infiniband").with("sys/devices/pci0000:15/0000:19:00.0/config: " + config);
        assertThat(json(run(host, "--json")).at("/machine/assumptions").toString())
                .contains("mlx5_1: MaxPayload 256");
    }

    @ParameterizedTest
    @CsvSource({
        // RoCE v2 with an interface of jumbo frames; FDR, whose 54.55 Gbit/s are more than its slot has; one lane.
        "mlx5-roce, mlx5_0, 'RoCE v2 25 Gbit/s, MTU 4096, to the receiver', 3.064",
        "mlx4-infiniband, mlx4_0, 'PCIe 3 x8 of the receiver''s adapter, from the adapter', 6.615",
        "narrow-link, mlx4_0, 'PCIe 2 x1 of the receiver''s adapter, from the adapter', 0.420",
        // 8928 of 8994 bytes of a packet.
        "efa-p5, rdmap79s0, 'SRD 100 Gbit/s, MTU 8928, to the receiver', 12.408",
    })
    void slowestLinkOfARecordedMachine(String machine, String device, String bottleneck, double gigabytes)
            throws IOException {
        JsonNode host = path(json(run(recorded(machine), "--device", device, "--json")), "host");
        assertThat(host.get("bottleneck").asText()).isEqualTo(bottleneck);
        assertThat(host.get("limit").asDouble() / 1e9).isBetween(gigabytes - 0.001, gigabytes + 0.001);
    }

    @ParameterizedTest
    @CsvSource({
        "rxe, rxe0 is a software device, --calibrate",
        "siw, siw0 is a software device, --calibrate",
        "usnic, usnic_0 speaks neither InfiniBand nor RoCE nor iWARP nor SRD, --machine",
        "module-missing, there is no RDMA device here, dgx-h100",
    })
    void unpredictableMachineIsReported(String machine, String reason, String remedy) {
        CommandRun run = run(recorded(machine));
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains(reason, remedy);
    }

    @Test
    void missingPartIsNamed() {
        CommandRun run = described("--machine", "connectx6-pcie4", "--path", "nvlink");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains("has no path 'nvlink'", "it has host, tcp");
    }

    @ParameterizedTest
    @CsvSource({
        "--path sideways, there is no path 'sideways'; there are host",
        "'--sizes 4,', '' is no number of bytes",
        "--sizes 0, 0 is not in 1..1099511627776",
        "--sizes 99999G, 99999G is not in 1..1024G",
        "--sizes -1, --sizes",
        "--depth 0, --depth: 0 is not in 1..1048576",
        "--machine a --device b, give one of them",
        "--fit 1, --fit is only for --calibrate",
        "--machine=, --machine= has no value: leave it out",
        "--depth x, option '--depth': 'x' is not a whole number",
        "--depth 99999999999, option '--depth': '99999999999' is out of range",
        "--calibrate a.json --path host, --calibrate is only with",
        "nonsense, what is that?",
    })
    void contradictionsAreRefused(String arguments, String reason) {
        CommandRun run = described(arguments.split(" "));
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains(reason, "rdma4j predict --help");
    }

    @Test
    void helpIsWritten() {
        assertThat(described("--help").out()).contains("--calibrate", "Exit status");
    }

    private Path results(String results) throws IOException {
        return Files.writeString(folder.resolve("results.json"), """
            {"test_info": {"Device": "rxe0", "Mtu": 1024},
             "rdma4j": {"test": {"tool": "ib_write_bw"}, "sizes": %s}}
            """.formatted(results));
    }

    private static String result(long size, double microseconds) {
        return "{\"size\": %d, \"bandwidth\": {\"message_rate\": %s}}".formatted(size, 1 / microseconds);
    }

    /** C writes one size a document. */
    @Test
    void documentsOfCAreTaken() throws IOException {
        List<String> arguments = new ArrayList<>();
        for (long size : List.of(64, 1024, 65_536)) {
            Path file = Files.writeString(folder.resolve(size + ".json"), """
                    {"test_info": {"test": "RDMA_Write BW Test", "Device": "rxe0", "Mtu": 1024},
                     "results": {"MsgSize": %d, "MsgRate": 0.1}}
                    """.formatted(size));
            arguments.addAll(List.of("--calibrate", file.toString()));
        }
        CommandRun run = described(arguments.toArray(String[]::new));
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("64 KiB", "fitted");
    }

    /** 10 µs a message, 2 a packet of 1024 bytes, 1 for 1024 bytes. */
    @Test
    void threeSizesDetermineTheOthers() throws IOException {
        Path file = results("[" + result(64, 12.0625) + "," + result(1024, 13) + "," + result(4096, 22) + ","
                + result(65_536, 202) + "]");
        JsonNode document = json(described("--calibrate", file.toString(), "--sizes", "2048", "--json"));
        JsonNode calibration = document.get("calibration");
        assertThat(calibration.get("message_us").asDouble()).isBetween(9.99, 10.01);
        assertThat(calibration.get("packet_us").asDouble()).isBetween(1.99, 2.01);
        assertThat(calibration.get("kibibyte_us").asDouble()).isBetween(0.99, 1.01);
        assertThat(calibration.get("sizes")).hasSize(5);
        JsonNode notMeasured = calibration.get("sizes").get(2);
        assertThat(notMeasured.get("measured").isNull()).isTrue();
        assertThat(notMeasured.get("predicted").asDouble()).isBetween(2048 / 16.01e-6, 2048 / 15.99e-6);
        CommandRun page = described("--calibrate", file.toString(), "--fit", "64,1024,65536");
        assertThat(page.out()).contains("10.000 µs a message, 2.000 µs a packet", "64 B", "fitted", "+0.0 %");
    }

    @Test
    void ofSeveralDocumentsTheBestOfEachSizeCounts() throws IOException {
        Path slow = Files.copy(
                results("[" + result(64, 99) + "," + result(1024, 13) + "," + result(65_536, 202) + "]"),
                folder.resolve("slow.json"));
        Path fast = results("[" + result(64, 12.0625) + "," + result(1024, 99) + "," + result(65_536, 999) + "]");
        JsonNode calibration = json(described("--calibrate", slow.toString(), "--calibrate", fast.toString(), "--json"))
                .get("calibration");
        assertThat(calibration.get("message_us").asDouble()).isBetween(9.9, 10.1);
        Path other = Files.writeString(
                folder.resolve("other.json"), Files.readString(fast).replace("rxe0", "rxe1"));
        CommandRun run = described("--calibrate", fast.toString(), "--calibrate", other.toString());
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains("is of ib_write_bw on rxe1, MTU 1024, and ");
    }

    /** Times that grow more slowly than they should would make a part negative. */
    @Test
    void noPartIsBelowZero() throws IOException {
        Path file = results("[" + result(64, 12) + "," + result(1024, 20) + "," + result(2048, 14) + "]");
        JsonNode calibration =
                json(described("--calibrate", file.toString(), "--json")).get("calibration");
        for (String part : List.of("message_us", "packet_us", "kibibyte_us")) {
            assertThat(calibration.get(part).asDouble()).isNotNegative();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[]|a calibration needs three sizes",
                "{\"size\": 64, \"bandwidth\": {\"message_rate\": 1}}|a calibration needs three sizes",
                "[{\"size\": 64}]|\"bandwidth\" is missing",
                "[{\"size\": 64, \"bandwidth\": {}}]|results.json:2: \"message_rate\" is missing",
                "[{\"size\": 64, \"bandwidth\": {\"message_rate\": 0}}]|a size of 64 bytes with 0.0 messages/s",
                "[{\"size\": 1.5}]|\"size\" is not a whole number",
                "[1]|\"sizes\" has something that is not an object",
                "[|results.json:2: no JSON: Unexpected close marker",
                "[{\"size\": inf|results.json:2: no JSON: Unrecognized token 'inf'",
            })
    void badMeasurementsAreRefused(String results, String reason) throws IOException {
        CommandRun run = described("--calibrate", results(results).toString());
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains(reason).doesNotContain("machine's file");
    }

    @Test
    void fileOfWindowsBeginsWithByteOrderMark() throws IOException {
        Path file = results("[" + result(64, 12) + "," + result(1024, 20) + "," + result(2048, 14) + "]");
        Files.writeString(file, "\uFEFF" + Files.readString(file));
        assertThat(described("--calibrate", file.toString()).status()).isZero();
    }

    @Test
    void sizeThatWasNotMeasuredCannotBeFitted() throws IOException {
        CommandRun run =
                described("--calibrate", results("[" + result(64, 1) + "]").toString(), "--fit", "1,2,3");
        assertThat(run.err()).contains("has no result of 1 bytes; it has [64]");
        assertThat(described("--calibrate", folder.resolve("no.json").toString())
                        .err())
                .contains("no.json does not exist");
    }
}
