// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce.choice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NcclLogTest {
    @TempDir
    Path folder;

    private static NcclLog log(String text) {
        return NcclLog.of(text.lines());
    }

    @Test
    void logOfInfiniBand() {
        NcclLog log = log(RecordedLogs.INFINIBAND);
        assertThat(log.version()).isEqualTo("2.19.3+cuda12.2");
        assertThat(log.networks()).containsExactly("IB");
        assertThat(log.adapters())
                .containsExactly(
                        new NcclLog.Adapter(0, "mlx5_0", 1, "IB"),
                        new NcclLog.Adapter(1, "mlx5_1", 1, "IB"),
                        new NcclLog.Adapter(2, "mlx5_2", 1, "RoCE"));
        assertThat(log.directAdapters()).containsExactly("mlx5_0");
        assertThat(log.dmaBufs()).containsExactly(0);
        assertThat(log.pairs())
                .containsExactly(
                        new NcclLog.Pair("0", "0", true, 4, 5),
                        new NcclLog.Pair("0", "2", false, 9, 5),
                        new NcclLog.Pair("1", "2", true, 4, 5));
        assertThat(log.links())
                .containsExactly(
                        new NcclLog.Link(0, 3, 0, "NET/IB", 0, true, "NET/IB/0/GDRDMA"),
                        new NcclLog.Link(2, 3, 0, "NET/IB", 0, true, "NET/IB/0/GDRDMA"),
                        new NcclLog.Link(1, 0, 3, "NET/IB", 2, false, "NET/IB/2(1)/Shared"),
                        new NcclLog.Link(0, 0, 1, "P2P", -1, false, "P2P/CUMEM"));
        assertThat(log.graphs())
                .containsExactly(new NcclLog.Graph(4, 4, 24, "NVL", "PIX"), new NcclLog.Graph(1, 4, 48, "NVL", "PIX"));
        assertThat(log.rings()).containsEntry(0, "0 1 2 3").containsEntry(1, "0 3 2 1");
        assertThat(log.channels()).isEqualTo(8);
        assertThat(log.totalBandwidth()).isEqualTo(370.8);
        assertThat(log.variables()).containsOnly(Map.entry("NCCL_PXN_DISABLE", "1"));
        assertThat(log.ranks()).containsExactly(new NcclLog.Rank(0, 4, 0, "0000:18:00.0"));
        assertThat(log.warnings()).isEmpty();
    }

    @Test
    void olderVersions() {
        NcclLog old = log(RecordedLogs.OLD);
        assertThat(old.version()).isEqualTo("2.4.7+cuda10.0");
        assertThat(old.pairs()).containsExactly(new NcclLog.Pair("0[0]", "0", false, 4, 2));
        assertThat(old.links())
                .containsExactly(
                        new NcclLog.Link(0, 3, 0, "NET/IB", 0, false, "NET/IB/0"),
                        new NcclLog.Link(0, 0, 1, "direct shared memory", -1, false, "direct shared memory"));
        NcclLog addresses = log(RecordedLogs.ADDRESSES);
        assertThat(addresses.links()).containsExactly(new NcclLog.Link(1, 2, 0, "NET/IB", 5, true, "NET/IB/5/GDRDMA"));
        assertThat(addresses.pairs()).containsExactly(new NcclLog.Pair("87000", "5", true, 3, 4));
        assertThat(addresses.graphs()).containsExactly(new NcclLog.Graph(4, 1, 12, "SYS", "PHB"));
        assertThat(addresses.ranks()).containsExactly(new NcclLog.Rank(0, 4, 0, "0000:87:00.0"));
        assertThat(addresses.warnings())
                .containsExactly("NET/IB : Got completion with error 4, opcode 8983, len 0, vendor err 81");
    }

    @Test
    void formsOfOneLine() {
        assertThat(log("h:1:2 [0] NCCL INFO NET/IB : Using [0]={[0] mlx5_3:1/IB, [1] mlx5_4:1/IB} [RO]; OOB x:1<0>")
                        .adapters())
                .containsExactly(new NcclLog.Adapter(0, "mlx5_3", 1, "IB"));
        assertThat(
                        log("h:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/AWS Libfabric/3/GDRDMA(PCI)/Shared")
                                .links())
                .containsExactly(new NcclLog.Link(
                        0, 0, 8, "NET/AWS Libfabric", 3, true, "NET/AWS Libfabric/3/GDRDMA(PCI)/Shared"));
        assertThat(log("h:1:2 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to eth0")
                        .variables())
                .containsEntry("NCCL_SOCKET_IFNAME", "eth0");
    }

    @Test
    void foreignTextIsNoLog() throws IOException {
        assertThat(log("").isEmpty()).isTrue();
        assertThat(log("NCCL INFO\nNCCL WARN \nChannel 00 : 1 -> 2 via P2P\nNCCL version x")
                        .isEmpty())
                .isTrue();
        NcclLog hostile =
                log("a:1:1 [0] NCCL INFO Channel 99999999999999 : 99999999999 -> 1 via NET/IB/99999999999999\n"
                        + "a:1:1 [0] NCCL INFO Pattern 4, crossNic 0, nChannels 1, bw 1.2.3/4, type A/B, sameChannels 1\n"
                        + "a:1:1 [0] NCCL INFO comm 0x1 rank 0 nranks 1 cudaDev 0 busId ffffffffffffffffffff - Init COMPLETE\n"
                        + "a:1:1 [0] NCCL INFO " + "x".repeat(100_000));
        assertThat(hostile.links().getFirst().adapter()).isEqualTo(Integer.MAX_VALUE);
        assertThat(hostile.graphs().getFirst().bandwidth()).isNaN();
        byte[] noise = new byte[20_000];
        new Random(1).nextBytes(noise);
        Path file = Files.write(folder.resolve("noise"), noise);
        assertThat(NcclLog.read(file).isEmpty()).isTrue();
    }

    /** Each way to cut a real log short is read without an exception. */
    @Test
    void logThatIsCutAnywhere() throws IOException {
        String text = RecordedLogs.INFINIBAND;
        for (int end = 0; end < text.length(); end += 7) {
            Path file = Files.writeString(folder.resolve("cut"), text.substring(0, end), StandardCharsets.UTF_8);
            assertThat(NcclLog.read(file).links()).hasSizeLessThanOrEqualTo(5);
        }
    }
}
