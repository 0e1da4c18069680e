// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.fuzz.Fuzzer;
import io.github.rdma4j.fuzz.Spoiler;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Fuzzes the hello of an endpoint's peer, which arrives in the private data of rdma_cm. */
@Timeout(1800)
class HelloFuzzTest {
    @Test
    void hello() throws Exception {
        byte[] padded = Arrays.copyOf(new Hello(Hello.VERSION, 64, 1 << 16, new byte[] {1, 2, 3}).toBytes(), 196);
        byte[] short1 = new Hello(Hello.VERSION, 1, 0, new byte[0]).toBytes();
        List<byte[]> samples = List.of(padded, short1, Hello.withDatagrams(short1, true));
        // A copy of at most what came, and the message of an exception.
        new Fuzzer(new Spoiler(samples), IllegalArgumentException.class, 8192, 4).feed(input -> {
            assertThat(Hello.problem(input)).isNotNull();
            Hello hello = Hello.parse(input);
            assertThat(Hello.problem(input)).isEmpty();
            byte[] again = Hello.hasDatagrams(input)
                    ? Hello.withDatagrams(hello.toBytes(), Hello.hasDatagramsOnly(input))
                    : hello.toBytes();
            assertThat(Arrays.mismatch(again, 0, again.length, input, 0, again.length))
                    .isNegative();
            assertThat(hello.receiveBuffers()).isBetween(1, Frame.MAX_CREDITS);
            assertThat(hello.bufferSize()).isNotNegative();
        });
    }
}
