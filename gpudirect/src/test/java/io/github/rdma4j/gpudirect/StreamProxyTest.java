// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests a proxy without channels, and invalid arguments. */
class StreamProxyTest {
    @Test
    void proxyIsOneThreadThatStops() {
        StreamProxy proxy =
                StreamProxy.start(config -> config.spin(Duration.ZERO).pause(Duration.ofMillis(1)));
        assertThat(threads()).hasSize(1).allMatch(Thread::isDaemon);
        assertThat(proxy).hasToString("stream proxy of 0 channels");
        proxy.close();
        assertThat(threads()).isEmpty();
        proxy.close();
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("rdma4j-stream-proxy"))
                .toList();
    }

    @Test
    void invalidArgumentsAreRefused() {
        StreamProxyConfig proxy = new StreamProxyConfig();
        assertThatIllegalArgumentException().isThrownBy(() -> proxy.spin(Duration.ofNanos(-1)));
        assertThatIllegalArgumentException().isThrownBy(() -> proxy.pause(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> proxy.pause(Duration.ofMillis(101)));
        assertThat(proxy.spin(Duration.ofDays(100_000)).spinNanos()).isPositive();
        StreamChannelConfig channel = new StreamChannelConfig();
        assertThatIllegalArgumentException().isThrownBy(() -> channel.transfers(0));
        assertThatIllegalArgumentException().isThrownBy(() -> channel.transfers(4097));
        assertThatIllegalArgumentException().isThrownBy(() -> channel.timeLimit(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> channel.timeLimit(Duration.ofDays(2)));
    }
}
