// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.endpoint.Transport;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two ends test RDMA before they move to it, and do not use RDMA that changes data. */
class FailoverTrialTest {
    /** The ways in which a wire may change data. */
    enum Spoils {
        /** The memory that the adapter should have written. */
        NOTHING_COMES,
        /** Of all that came, the first comes each time: it lies there from before. */
        THE_FIRST_COMES_AGAIN,
        ONE_BIT;

        Consumer<byte[]> wire() {
            byte[][] first = new byte[1][];
            return switch (this) {
                case NOTHING_COMES -> bytes -> Arrays.fill(bytes, (byte) 0);
                case THE_FIRST_COMES_AGAIN ->
                    bytes -> {
                        first[0] = first[0] == null ? bytes.clone() : first[0];
                        System.arraycopy(first[0], 0, bytes, 0, bytes.length);
                    };
                case ONE_BIT -> bytes -> bytes[bytes.length - 1] ^= 1;
            };
        }
    }

    private final FailoverEnd.Fabric fabric = new FailoverEnd.Fabric();
    private final long[] now = {1};
    private final Random random = new Random(1);
    private final FailoverEnd client = new FailoverEnd("client", true, random, fabric, 4, 4, 4, now);
    private final FailoverEnd server = new FailoverEnd("server", false, random, fabric, 4, 4, 4, now);

    private void run(int rounds) {
        for (int i = 0; i < rounds; i++) {
            for (FailoverEnd end : new FailoverEnd[] {client, server}) {
                end.tcp.queues.deliverAll();
                if (end.rdma != null && !end.rdma.closed) {
                    end.rdma.queues.deliverAll();
                }
                end.readAll();
            }
            now[0] += FailoverEnd.SILENCE_NANOS / 8;
            client.checkTimeouts(now[0]);
            server.checkTimeouts(now[0]);
        }
    }

    private Transport transport() {
        return client.transport.mover().transport();
    }

    @ParameterizedTest
    @CsvSource({
        "NOTHING_COMES, true",
        "NOTHING_COMES, false",
        "THE_FIRST_COMES_AGAIN, true",
        "THE_FIRST_COMES_AGAIN, false",
        "ONE_BIT, true",
        "ONE_BIT, false"
    })
    void corruptingWireIsNotUsedUntilItIsFixed(Spoils spoils, boolean towardsTheClient) {
        FailoverEnd receiver = towardsTheClient ? client : server;
        receiver.tamper = spoils.wire();
        FailoverEnd.connect(client, server);
        client.sendAsync();
        server.sendAsync();
        run(200);
        assertThat(fabric.next).as("it was tried").isPositive();
        assertThat(transport()).isEqualTo(Transport.TCP);
        assertThat(client.moves).isEmpty();
        assertThat(receiver.transport.mover().failure())
                .hasMessageContaining("the data that came over RDMA are not those that were sent");
        client.checkBooks();
        server.checkBooks();
        receiver.tamper = bytes -> {};
        run(2_000);
        assertThat(transport()).isEqualTo(Transport.RDMA);
        client.sendAsync();
        server.sendAsync();
        run(20);
        client.checkBooks();
        server.checkBooks();
    }
}
