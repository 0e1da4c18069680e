// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.PerftestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DescribedMachinesTest {
    private static final String GOOD = """
        {
          "name": "mine",
          "sources": ["me"],
          "adapter": {
            "name": "a", "link": "roce-v2", "gigabits": 100, "mtu": 4096,
            "pci": {"speed": 16, "width": 16},
            "latency_us": 1, "message_us": 0.3, "processor_us": 0.1
          },
          "memory": {"channels": 8, "megatransfers": 3200, "efficiency": 0.8}
        }
        """;

    @TempDir
    private Path folder;

    @Test
    void fileDescribesAMachine() throws IOException {
        Path file = Files.writeString(folder.resolve("mine.json"), GOOD);
        assertThat(DescribedMachines.of(file.toString())
                        .adapter()
                        .pci()
                        .orElseThrow()
                        .maxPayload())
                .isEqualTo(256);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"gigabits\": 100|\"gigabits\": \"fast\"|m.json:5: \"gigabits\" is not a number",
                "\"gigabits\": 100|\"gigabits\": -1|m.json:4: this object makes no sense: gigabits: -1.0 is not in 0..1.0E12",
                "\"gigabits\": 100|\"gigabits\": 1e999|m.json:5: \"gigabits\" is not a number",
                "\"gigabits\": 100|\"gigabits\": 1e300|m.json:4: this object makes no sense: gigabits: 1.0E300 is not in",
                "\"mtu\": 4096|\"mtu\": 4096.5|m.json:5: \"mtu\" is not a whole number",
                "\"mtu\": 4096|\"mtu\": 1e12|m.json:5: \"mtu\" is not a whole number",
                "\"mtu\": 4096|\"mtu\": 4|m.json:4: this object makes no sense: mtu: 4 is no path MTU of RoCE v2, which has"
                        + " 256, 512, 1024, 2048 or 4096",
                "\"mtu\": 4096|\"mtu\": 9000|m.json:4: this object makes no sense: mtu: 9000 is no path MTU of RoCE v2, which"
                        + " has 256, 512, 1024, 2048 or 4096. Of an interface's MTU of 9000 RoCE uses 4096",
                "\"mtu\": 4096|\"mtu\": 1500|m.json:4: this object makes no sense: mtu: 1500 is no path MTU of RoCE v2, which"
                        + " has 256, 512, 1024, 2048 or 4096. Of an interface's MTU of 1500 RoCE uses 1024",
                "\"roce-v2\"|\"token-ring\"|m.json:5: \"link\" is 'token-ring', not one of infiniband, roce-v1, roce-v2",
                "\"width\": 16|\"width\": 0|m.json:6: this object makes no sense: width: 0 is not in 1..32",
                "\"width\": 16|\"widht\": 16|m.json:6: \"width\" is missing",
                "\"width\": 16|\"width\": 16, \"depth\": 1|m.json:6: \"depth\" is unknown here; there are max_payload, max_read_request, speed, width",
                "\"channels\": 8|\"channels\": 8, \"channels\": 9|m.json:9: no JSON: Duplicate",
                "\"efficiency\": 0.8|\"efficiency\": 2|m.json:9: this object makes no sense: efficiency: 2.0",
                "\"sources\": [\"me\"]|\"sources\": [1]|m.json:3: \"sources\" has something that is not a text",
                "\"sources\": [\"me\"]|\"sources\": \"me\"|m.json:3: \"sources\" is not a list",
                "\"name\": \"mine\"|\"name\": null|m.json:2: \"name\" is not a text",
                "\"name\": \"mine\",||m.json:1: \"name\" is missing",
                "\"adapter\"|\"adaptor\"|m.json:1: \"adapter\" is missing",
                "\"memory\": {|\"memory\": 3, \"x\": {|m.json:9: \"memory\" is not an object",
                "\"memory\": {|\"memory\": {{|m.json:9: no JSON",
            })
    void spoiltFileIsRefusedWithItsLine(String good, String bad, String message) {
        String text = GOOD.replace(good, bad == null ? "" : bad);
        assertThat(text).isNotEqualTo(GOOD);
        assertThatThrownBy(() -> DescribedMachines.parse("m.json", text))
                .isInstanceOf(MachineFileException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void nvLinksThatCarryNothingAreRefused() {
        String text = GOOD.replace(
                "\"memory\": {",
                "\"gpu\": {\"name\": \"g\", \"pci\": {\"speed\": 16, \"width\": 16}, \"attachment\": \"switch\", \"nvlinks\":"
                        + " 4, \"copy_us\": 1}, \"memory\": {");
        assertThatThrownBy(() -> DescribedMachines.parse("m.json", text))
                .isInstanceOf(MachineFileException.class)
                .hasMessageContaining("nvLink: needed with nvLinks");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.00091e308", "1e-300", "0", "-1"})
    void ratesThatNobodyMeasuresAreRefused(String rate) throws IOException {
        Path results = Files.writeString(folder.resolve("r.json"), """
            {"test_info": {"tool": "ib_write_bw", "Device": "rxe0", "Mtu": 4096},
             "results": [{"MsgSize": 64, "MsgRate": 0.06}, {"MsgSize": 4096, "MsgRate": 0.05},
              {"MsgSize": 65536, "MsgRate": %s}]}""".formatted(rate));
        assertThatThrownBy(() -> Calibration.of(List.of(results), List.of()))
                .isInstanceOf(MachineFileException.class)
                .hasMessageContaining("a size of 65536 bytes with ");
    }

    @Test
    void softwareThatNothingLimitsIsRefused() {
        String text = GOOD.replace("\"gigabits\": 100", "\"gigabits\": 0")
                .replace("\"pci\": {\"speed\": 16, \"width\": 16},", "");
        assertThatThrownBy(() -> DescribedMachines.parse("m.json", text))
                .hasMessageContaining("nothing limits the adapter");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|m.json:1: the file is empty",
                "[]|a file must be one JSON object",
                "{|no JSON",
                "{} {}|something follows the object",
                "%PDF-1.4|no JSON",
            })
    void valueThatIsNoObjectIsRefused(String text, String message) {
        assertThatThrownBy(() -> DescribedMachines.parse("m.json", text))
                .isInstanceOf(MachineFileException.class)
                .hasMessageContaining(message);
    }

    @Test
    void deepNestingIsNoStackOverflow() {
        assertThatThrownBy(() -> DescribedMachines.parse("m.json", "{\"a\":".repeat(100_000)))
                .isInstanceOf(MachineFileException.class);
    }

    @Test
    void filesThatCannotBeReadAreNamed() throws IOException {
        assertThatThrownBy(() -> DescribedMachines.of("no-such-machine"))
                .hasMessage("there is no machine and no file 'no-such-machine'")
                .extracting(failure -> ((PerftestException) failure).remedy())
                .asString()
                .contains("dgx-h100");
        assertThatThrownBy(() -> DescribedMachines.of(folder.toString()))
                .hasMessage(folder + " cannot be read: it is a folder");
        assertThatThrownBy(() -> DescribedMachines.of("/dev/zero")).hasMessageContaining("no regular file");
        Path binary = Files.write(folder.resolve("b.json"), new byte[] {(byte) 0xff, (byte) 0xfe});
        assertThatThrownBy(() -> DescribedMachines.of(binary.toString())).hasMessageContaining("UTF-8");
        Path large = Files.write(folder.resolve("l.json"), new byte[(1 << 20) + 1]);
        assertThatThrownBy(() -> DescribedMachines.of(large.toString())).hasMessageContaining("longer than 1 MiB");
    }

    @ParameterizedTest
    @CsvSource({
        "40 Gb/sec (4X QDR), true, 32",
        "40 Gb/sec (4X QDR), false, 40",
        "40 Gb/sec (4X FDR10), true, 40",
        "56 Gb/sec (4X FDR), true, 54.55",
        "100 Gb/sec (4X EDR), true, 100",
        "2.5 Gb/sec (1X SDR), true, 2",
        "400 Gb/sec (4X NDR), true, 400",
        "100 Gb/sec, false, 100",
    })
    void ratesAreOfData(String text, boolean infiniBand, double gigabits) {
        assertThat(NetworkRate.parse(text, infiniBand)).hasValue(gigabits);
    }

    @ParameterizedTest
    @CsvSource({"''", "fast", "0 Gb/sec", "'-1 Gb/sec (4X EDR)'", "999999999 Gb/sec"})
    void invalidRateIsNone(String text) {
        assertThat(NetworkRate.parse(text, true)).isEqualTo(OptionalDouble.empty());
    }
}
