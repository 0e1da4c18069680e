// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.fuzz.Fuzzer;
import io.github.rdma4j.fuzz.Spoiler;
import io.github.rdma4j.perftest.predict.model.DataPath;
import io.github.rdma4j.perftest.predict.model.MachineModel;
import io.github.rdma4j.perftest.predict.model.Paths;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Fuzzes the files that {@code predict} reads. An accepted file can be used for a calculation. */
@Timeout(7200)
class MachineFuzzTest {
    private static final String[] WORDS = {
        "{",
        "}",
        "[",
        "]",
        "{}",
        "[]",
        "null",
        "true",
        "-1",
        "0",
        "1e300",
        "1e-300",
        "\"pci\"",
        "\"hops\": 3",
        "\"attachment\": \"c2c\"",
        "\"gigabits\": 0",
        "[".repeat(2000)
    };

    private static String described(String name) throws IOException {
        try (InputStream in = DescribedMachines.class.getResourceAsStream(name + ".json")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void machines() throws Exception {
        new Fuzzer(
                        new Spoiler(
                                Fuzzer.bytes(
                                        described("dgx-h100"), described("grace-hopper"), described("softroce-guest")),
                                WORDS),
                        MachineFileException.class,
                        4 << 20,
                        1024)
                .feed(input -> {
                    MachineModel machine = DescribedMachines.parse("m.json", new String(input, StandardCharsets.UTF_8));
                    for (DataPath path : Paths.of(machine)) {
                        assertThat(path.limit()).isPositive().isFinite();
                        for (long size : new long[] {1, 4096, 1L << 40}) {
                            assertThat(path.expect(size, 128).bandwidth())
                                    .isNotNegative()
                                    .isFinite();
                        }
                    }
                });
    }

    @Test
    void measurements(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("results.json");
        String results = """
            {"test_info": {"Device": "rxe0", "Mtu": 4096},
             "rdma4j": {"test": {"tool": "ib_write_bw"}, "sizes": [
              {"size": 64, "bandwidth": {"message_rate": 0.06}}, {"size": 4096, "bandwidth": {"message_rate": 0.05}},
              {"size": 65536, "bandwidth": {"message_rate": 0.012}},
              {"size": 1048576, "bandwidth": {"message_rate": 0.0009}}]}}""";
        new Fuzzer(new Spoiler(Fuzzer.bytes(results), WORDS), MachineFileException.class, 4 << 20, 1024).feed(input -> {
            Files.write(file, input);
            Calibration calibration = Calibration.of(List.of(file), List.of());
            for (long size : calibration.measured().keySet()) {
                assertThat(calibration.predict(size)).isPositive();
            }
        });
    }
}
