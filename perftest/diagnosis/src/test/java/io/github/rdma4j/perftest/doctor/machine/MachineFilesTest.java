// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MachineFilesTest {
    @TempDir
    private Path root;

    /** Such a name can come from another file, if the locale cannot encode its characters. */
    @Test
    void impossibleFileNameIsMissing() {
        MachineFiles files = new MachineFiles(root);
        String name = "sys/class/net/\0/mtu";
        assertThat(files.text(name)).isEmpty();
        assertThat(files.number(name)).isEmpty();
        assertThat(files.exists(name)).isFalse();
        assertThat(files.names(name)).isEmpty();
        assertThat(files.target(name)).isEmpty();
        assertThat(files.labelled(name, "x")).isEmpty();
    }

    @Test
    void bytesThatAreNoUtf8HideNothingBesideThem() throws IOException {
        Files.writeString(root.resolve("maps"), "/M\u00fcller\n/lib/x.so\n", StandardCharsets.ISO_8859_1);
        assertThat(new MachineFiles(root).text("maps").orElseThrow()).endsWith("/lib/x.so");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1000000000000000000, 1000000000000000000",
        "9223372036854775807, 9223372036854775807",
        "9223372036854775808, 9223372036854775807",
        "18446744073709551615, 9223372036854775807"
    })
    void numbersBeyondALongAreAsGoodAsTheGreatest(String text, long number) throws IOException {
        Files.writeString(root.resolve("n"), text + "\n");
        assertThat(new MachineFiles(root).number("n")).hasValue(number);
    }
}
