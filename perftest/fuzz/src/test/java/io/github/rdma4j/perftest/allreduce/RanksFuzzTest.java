// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.fuzz.Fuzzer;
import io.github.rdma4j.fuzz.Spoiler;
import io.github.rdma4j.perftest.allreduce.choice.Choice;
import io.github.rdma4j.perftest.allreduce.choice.NcclLog;
import java.io.UncheckedIOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Fuzzes the parsers of nccl_allreduce_bw, for NCCL's log and for data of other ranks. */
@Timeout(1800)
class RanksFuzzTest {
    private static final long MOST_BYTES = 1 << 16;
    /**
     * For a text, DataInputStream allocates as many bytes as its length field, up to 64 KiB, and as many characters.
     */
    private static final long MOST_BYTES_OF_TEXTS = 1 << 19;

    @Test
    void logs() throws Exception {
        String log = """
                a:1:2 [0] NCCL INFO NCCL version 2.19.3+cuda12.2
                a:1:2 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]={[0] mlx5_1:1/RoCE} [RO]; OOB eth0:10.0.0.5<0>
                a:1:2 [0] NCCL INFO GPU Direct RDMA Enabled for GPU 0 / HCA 0 (distance 4 <= 5), read 1 mode Default
                a:1:2 [0] NCCL INFO Pattern 4, crossNic 1, nChannels 4, bw 24.0/24.0, type NVL/PIX, sameChannels 0
                a:1:2 [0] NCCL INFO Channel 00/08 :    0   1   2   3
                a:1:2 [0] NCCL INFO Channel 00/0 : 3[1] -> 0[0] [receive] via NET/IB/0/GDRDMA
                a:1:2 [0] NCCL INFO comm 0x7f rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 18000 commId 0x1 - Init COMPLETE
                """;
        new Fuzzer(
                        new Spoiler(Fuzzer.bytes(log), "NCCL INFO ", "Channel ", " via ", "99999999999", "busId "),
                        null,
                        MOST_BYTES,
                        512)
                .feedText(input -> assertThat(NcclLog.of(input.lines()).ranks()).allMatch(rank -> rank.device() >= 0));
    }

    @Test
    void choices() throws Exception {
        byte[] honest = RankChoice.write(List.of(
                new Choice("network", "Socket", "RDMA: mlx5_0", Choice.Verdict.DIFFERS, "a port"),
                new Choice("NCCL", "2.27.3", "", Choice.Verdict.NOT_PREDICTED, "")));
        new Fuzzer(
                        new Spoiler(List.of(honest), "\u0000\u0000\u0000\u0002", "network"),
                        UncheckedIOException.class,
                        MOST_BYTES_OF_TEXTS,
                        64)
                .feed(input -> assertThat(RankChoice.read(input)).hasSizeLessThanOrEqualTo(200));
    }
}
