// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.srd;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.fuzz.Fuzzer;
import io.github.rdma4j.fuzz.Spoiler;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.device.Gid;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The address of a peer's SRD queue pair, as it follows the hello over TCP. */
@Timeout(1800)
class SrdAddressFuzzTest {
    @Test
    void address() throws Exception {
        byte[] valid = new SrdAddress(
                        Gid.of(new byte[Gid.LENGTH]), 0xfffff, 1, 5, 8192, 4096, new RemoteMemory(4096, 10_000, 7))
                .toBytes();
        new Fuzzer(new Spoiler(List.of(valid)), IllegalArgumentException.class, 8192, 4).feed(input -> {
            // The handshake passes this many bytes.
            byte[] received = Arrays.copyOf(input, SrdAddress.BYTES);
            SrdAddress address = SrdAddress.parse(received);
            assertThat(address.toBytes()).isEqualTo(received);
            assertThat(address.number()).isBetween(0, 0xffffff);
            assertThat(address.maxSend()).isPositive();
            assertThat(address.maxReceive()).isPositive();
        });
    }
}
