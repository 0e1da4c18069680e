// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.rdma4j.perftest.exit.RunFailedException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The account of an open loop, by a clock that goes only where somebody waits. */
@Timeout(600)
class OpenLoopTest {
    private static final int SIZE = 64;
    private static final long MICROSECOND = 1_000;
    private static final long MILLISECOND = 1_000_000;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static OpenLoop.Result run(FakeChannels channels, double perSecond, long messages) {
        return OpenLoop.run(new Exchange(channels, SIZE), perSecond, messages, LIMIT, channels::now);
    }

    @Test
    void aServerThatKeepsUpHasItsOwnLatency() {
        OpenLoop.Result result = run(new FakeChannels(4, 50 * MICROSECOND), 1000, 500);

        assertThat(result.latency().samples()).isEqualTo(500);
        assertThat(result.latency().minimum()).isEqualTo(50);
        assertThat(result.latency().maximum()).isEqualTo(50);
        assertThat(result.perSecond()).isCloseTo(1000, within(0.1));
    }

    @Test
    void aStandstillCountsForEachMessageThatWasDueInIt() {
        // A hundred messages are due, one each millisecond, while nothing comes: the first waits for 100 ms, the last
        // one for 1 ms. Who sends the next message after the answer to the last would count one.
        FakeChannels channels = new FakeChannels(1, 0).standingStillUntil(100 * MILLISECOND);

        OpenLoop.Result result = run(channels, 1000, 200);

        assertThat(result.latency().maximum()).isEqualTo(100_000);
        assertThat(result.latency().percentile(75)).isCloseTo(50_000, within(1_500.0));
        assertThat(result.latency().percentile(50)).isLessThan(1_000);
        assertThat(result.perSecond()).isCloseTo(1000, within(0.1));
    }

    @Test
    void aMessageWithoutRoomIsLate() {
        // One at a time, each for 2 ms, asked for each millisecond.
        OpenLoop.Result result = run(new FakeChannels(1, 2 * MILLISECOND).withRoom(1), 1000, 100);

        assertThat(result.latency().minimum()).isEqualTo(2_000);
        assertThat(result.latency().maximum()).isEqualTo(101_000);
        assertThat(result.perSecond()).isCloseTo(500, within(1.0));
    }

    @Test
    void severalConnectionsKeepTheirOrderWithoutRoom() {
        OpenLoop.Result result = run(new FakeChannels(3, MILLISECOND).withRoom(2), 10_000, 300);

        // The exchange would have refused any other order.
        assertThat(result.latency().samples()).isEqualTo(300);
        assertThat(result.perSecond()).isCloseTo(2000, within(20.0));
    }

    @Test
    void numbersGoOnInTheNextLoop() {
        FakeChannels channels = new FakeChannels(2, MICROSECOND);
        Exchange exchange = new Exchange(channels, SIZE);

        OpenLoop.run(exchange, 1000, 5, LIMIT, channels::now);
        OpenLoop.Result second = OpenLoop.run(exchange, 1000, 6, LIMIT, channels::now);

        assertThat(exchange.sent(0)).isEqualTo(6);
        assertThat(exchange.sent(1)).isEqualTo(5);
        assertThat(second.latency().maximum()).isEqualTo(1);
    }

    @Test
    void aLostMessageIsNamed() {
        assertThatThrownBy(() -> run(new FakeChannels(2, 0).losingAll(), 100, 50))
                .isInstanceOf(RunFailedException.class)
                .hasMessageMatching("no answer came for 10 s, the first to message 0 on connection 0; \\d+ are missing")
                .satisfies(failure ->
                        assertThat(((RunFailedException) failure).remedy()).isNotEmpty())
                .satisfies(failure ->
                        assertThat(((RunFailedException) failure).peerLost()).isTrue());
    }

    @Test
    void aRateFarAboveWhatCanBeHadEndsInTime() {
        FakeChannels slow = new FakeChannels(1, 500 * MILLISECOND).withRoom(1);

        assertThatThrownBy(() -> run(slow, 1000, 1000))
                .isInstanceOf(RunFailedException.class)
                .hasMessageMatching("after 31 s still \\d+ messages were not answered")
                .satisfies(failure ->
                        assertThat(((RunFailedException) failure).remedy()).contains("--rates", "--timeout"));
    }

    @Test
    void aSpoiltMessageIsNamed() {
        assertThatThrownBy(() -> run(new FakeChannels(1, 0).spoiling(), 100, 5))
                .isInstanceOf(RunFailedException.class)
                .hasMessage("the echo of message 0 on connection 0 has a wrong byte at 20");
    }
}
