// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostListTest {
    @TempDir
    private Path folder;

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("hosts"), text);
    }

    /** The right column is what scontrol show hostnames of Slurm 22.05 prints. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "node1 | node1",
                "node[01-03,7] | node01 node02 node03 node7",
                "a[1-2],b,c[9-10]-ib | a1 a2 b c9-ib c10-ib",
                "r[1-2]n[1-2] | r1n1 r1n2 r2n1 r2n2",
                "n[098-101] | n098 n099 n100 n101",
                "10.0.0.[1-2] | 10.0.0.1 10.0.0.2",
                "fd00::1 | fd00::1"
            })
    void slurmListIsExpanded(String list, String hosts) {
        assertThat(HostList.expand("list", list)).containsExactly(hosts.split(" "));
    }

    /** Arabic of Egypt has other digits. */
    @Test
    void hostsAndTheirJobDoNotDependOnTheLocale() throws IOException {
        Path hosts = file("n[01-02]\n");
        Job.Request request = new Job.Request(hosts, null, 1, null, null);
        String id = Job.of(request, Map.of(), _ -> false).id();
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG"));
            assertThat(HostList.read(hosts)).containsExactly("n01", "n02");
            assertThat(Job.of(request, Map.of(), _ -> false).id()).isEqualTo(id);
        } finally {
            Locale.setDefault(before);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"a[1-", "a[3-1]", "a[x]", "a[1-2", "a]b", "a,,b", "a[1-999999999]", "a[]", "-a", "a b"})
    void invalidListIsRefused(String list) {
        assertThatThrownBy(() -> HostList.expand("list", list))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessageStartingWith("list: '");
    }

    @Test
    void hostFileMayHaveCommentsAndSlots() throws IOException {
        Path hosts = file("# the first is rank 0\n\nalpha slots=8 # spine 1\n  beta[1-2]\t\n");

        assertThat(HostList.read(hosts)).containsExactly("alpha", "beta1", "beta2");
    }

    @Test
    void errorOfHostFileNamesTheLine() throws IOException {
        Path hosts = file("alpha\n\nbeta[2-1]\n");

        assertThatThrownBy(() -> HostList.read(hosts))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessage("--hosts: " + hosts + ", line 3: '2-1' is not a range of hosts");
    }

    @Test
    void hostThatAppearsTwiceIsRefused() throws IOException {
        Path hosts = file("alpha\nbeta\nalpha\n");

        assertThatThrownBy(() -> HostList.read(hosts))
                .hasMessage("--hosts: " + hosts + ", line 3: alpha appears twice");
    }

    @Test
    void missingBinaryOrShortFileIsRefused() throws IOException {
        assertThatThrownBy(() -> HostList.read(folder.resolve("none")))
                .hasMessage("--hosts: there is no file " + folder.resolve("none"));
        Path one = file("alpha\n");
        assertThatThrownBy(() -> HostList.read(one)).hasMessage("--hosts: " + one + " must name at least two hosts");
        Path binary = Files.write(folder.resolve("binary"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});
        assertThatThrownBy(() -> HostList.read(binary)).hasMessage("--hosts: " + binary + " is not a text file");
    }
}
