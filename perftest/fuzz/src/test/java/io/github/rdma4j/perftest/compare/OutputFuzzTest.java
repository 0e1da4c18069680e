// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.fuzz.Fuzzer;
import io.github.rdma4j.fuzz.Spoiler;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.runner.CToolOutput;
import io.github.rdma4j.perftest.environment.CpuTime;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.tcp.TcpParameters;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Fuzzes the parsers of {@code compare}, for output of other programs and of the kernel. */
@Timeout(1800)
class OutputFuzzTest {
    private static final Path RECORDED = Path.of("../comparison/src/test/resources/io/github/rdma4j/perftest/compare");
    private static final long MOST_BYTES = 1 << 16;

    private static Spoiler recorded(String glob, String... words) throws Exception {
        List<byte[]> texts = new ArrayList<>();
        try (var files = Files.newDirectoryStream(RECORDED, glob)) {
            for (Path file : files) {
                texts.add(Files.readAllBytes(file));
            }
        }
        assertThat(texts).isNotEmpty();
        return new Spoiler(texts, words);
    }

    @Test
    void tables() throws Exception {
        Spoiler outputs = recorded(
                "c-*.txt", "#bytes", "BW average[MB/sec]", "MsgRate[Mpps]", "BW_peak", "\n 2 1000 1 2 3 4 5 6 7\n");
        new Fuzzer(outputs, CompareException.class, MOST_BYTES, 256)
                .feedText(
                        input -> assertThat(CToolOutput.parse(input).figures()).isNotEmpty());
    }

    @Test
    void orders() throws Exception {
        String order =
                "tool=ib_write_bw size=65536 iterations=1000 device=rxe0 devicePort=1 gidIndex=1 mtu=0 connection=UC queuePairs=2"
                        + " transmitDepth=128 moderation=0 port=18515 timeoutSeconds=30 warmUp=true ipv6=false gpu=--use_cuda=0,--gpu-path=staged";
        new Fuzzer(
                        new Spoiler(Fuzzer.bytes(order), "tool=", "size=", "null"),
                        IllegalArgumentException.class,
                        MOST_BYTES,
                        128)
                .feedText(input -> assertThat(RunOrder.decode(input).tool()).isNotNull());
        String run =
                "latency=true size=64 iterations=1000 address=10.0.0.1 port=18515 spin=false timeoutSeconds=10 warmUp=true";
        new Fuzzer(new Spoiler(Fuzzer.bytes(run), "size=", "port="), IllegalArgumentException.class, MOST_BYTES, 128)
                .feedText(input -> assertThat(TcpParameters.decode(input)).isNotNull());
    }

    @Test
    void processorTime() throws Exception {
        new Fuzzer(new Spoiler(Fuzzer.bytes("cpu  100 20 3 5000 700 11 13 17 0 0", "cpu 1 2")), null, MOST_BYTES, 128)
                .feedText(CpuTime::busy);
    }
}
