// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(600)
class TcpRunTest {
    private static final String ADDRESS = "127.0.0.1";

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(ADDRESS))) {
            return socket.getLocalPort();
        }
    }

    private static CompletableFuture<Void> serve(TcpParameters run) throws InterruptedException {
        CountDownLatch listening = new CountDownLatch(1);
        CompletableFuture<Void> server = CompletableFuture.runAsync(() -> TcpRun.serve(run, listening::countDown));
        assertThat(listening.await(60, TimeUnit.SECONDS)).isTrue();
        return server;
    }

    @ParameterizedTest
    @CsvSource({"1,true", "2,false", "65536,true", "100000,false"})
    void playsPingPong(int size, boolean spin) throws Exception {
        TcpParameters run = new TcpParameters(true, size, 200, ADDRESS, freePort(), spin, 600, true);
        CompletableFuture<Void> server = serve(run);

        long[] stamps = TcpRun.measure(run);

        assertThat(stamps).hasSize(200).isSorted();
        assertThat(stamps[199]).isGreaterThan(stamps[0]);
        server.get(60, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @CsvSource({"2,true", "65536,false"})
    void streamsAndWaitsForTheConfirmation(int size, boolean spin) throws Exception {
        TcpParameters run = new TcpParameters(false, size, 500, ADDRESS, freePort(), spin, 600, true);
        CompletableFuture<Void> server = serve(run);

        long[] times = TcpRun.measure(run);

        assertThat(times).hasSize(2).isSorted();
        server.get(60, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,false"})
    void moreMessagesAllocateNoMoreThanTheirTimes(boolean latency, boolean spin) throws Exception {
        long few = allocated(latency, spin, 2_000);
        few = Math.min(few, allocated(latency, spin, 2_000));
        long many = allocated(latency, spin, 12_000);

        // A byte or two per message would be a hidden allocation in every tenth or so.
        assertThat(many - few).isLessThan((latency ? 8 * 10_000 : 0) + 15_000);
    }

    private static long allocated(boolean latency, boolean spin, int messages) throws Exception {
        TcpParameters run = new TcpParameters(latency, 64, messages, ADDRESS, freePort(), spin, 600, true);
        CompletableFuture<Void> server = serve(run);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        TcpRun.measure(run);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        server.get(60, TimeUnit.SECONDS);
        return allocated;
    }

    @Test
    void peerThatStopsEarlyIsNamedWithHowFarItCame() throws Exception {
        TcpParameters run = new TcpParameters(true, 8, 100, ADDRESS, freePort(), true, 30, true);
        TcpParameters shorter = new TcpParameters(true, 8, 60, ADDRESS, run.port(), true, 30, true);
        CompletableFuture<Void> server = serve(shorter);

        assertThatThrownBy(() -> TcpRun.measure(run))
                .isInstanceOf(TcpException.class)
                .hasMessageMatching(".*(after 60 of 100 messages|[Cc]onnection reset.*|Broken pipe)");
        server.get(60, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void silentPeerTimesOut(boolean spin) throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getByName(ADDRESS))) {
            TcpParameters run = new TcpParameters(true, 8, 100, ADDRESS, silent.getLocalPort(), spin, 1, true);

            assertThatThrownBy(() -> TcpRun.measure(run))
                    .isInstanceOf(TcpException.class)
                    .hasMessage("the TCP run did not end within 1 s");
        }
    }

    @Test
    void serverDoesNotWaitForEverForItsClient() throws Exception {
        TcpParameters run = new TcpParameters(false, 8, 100, ADDRESS, freePort(), false, 1, true);

        assertThatThrownBy(() -> TcpRun.serve(run, () -> {}))
                .isInstanceOf(TcpException.class)
                .hasMessage("the TCP run did not end within 1 s");
    }

    @Test
    void missingListenerIsReported() throws Exception {
        TcpParameters run = new TcpParameters(false, 8, 100, ADDRESS, freePort(), false, 5, true);

        assertThatThrownBy(() -> TcpRun.measure(run))
                .isInstanceOf(TcpException.class)
                .hasMessageStartingWith("TCP at 127.0.0.1, port " + run.port() + ": ");
    }

    @Test
    void travelsAsALine() {
        TcpParameters run = new TcpParameters(true, 8, 100, "10.99.0.1", 18515, true, 5, true);

        assertThat(TcpParameters.decode(run.encode())).isEqualTo(run);
        assertThatThrownBy(() -> TcpParameters.decode("size=1")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TcpParameters.decode("nonsense")).isInstanceOf(IllegalArgumentException.class);
    }
}
