// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.rdma4j.perftest.exit.Complaints;
import io.github.rdma4j.perftest.exit.PerftestException;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the connection between the two sides with the right peer and with wrong ones. */
@Timeout(600)
class PeerLineTest {
    private static final int MAGIC = 0x52344a47;
    private static final int[] SETTINGS = {4096, 1000, 0};

    private static OrderedOptions options(String... arguments) {
        OrderedOptions options = new OrderedOptions();
        assertThat(options.read(List.of(arguments), System.out, new Complaints("", "", System.err)))
                .isEmpty();
        return options;
    }

    /** Runs an exchange with a peer that receives a message and sends these bytes. */
    private static byte[] exchange(byte[] sent) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> peer = CompletableFuture.runAsync(() -> {
                try (Socket socket = server.accept()) {
                    new DataInputStream(socket.getInputStream()).readNBytes(5 * Integer.BYTES + 1);
                    socket.getOutputStream().write(sent);
                } catch (IOException failure) {
                    throw new AssertionError(failure);
                }
            });
            try (PeerLine line = PeerLine.open(
                    options("--connect", "127.0.0.1", "--port", Integer.toString(server.getLocalPort())))) {
                return line.exchange(SETTINGS, new byte[1]);
            } finally {
                peer.join();
            }
        }
    }

    private static byte[] message(int... words) {
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES * words.length + 2);
        for (int word : words) {
            bytes.putInt(word);
        }
        return bytes.put((byte) 7).put((byte) 8).array();
    }

    @Test
    void equalSettingsAreAccepted() throws IOException {
        assertThat(exchange(message(MAGIC, 4096, 1000, 0, 2))).containsExactly(7, 8);
    }

    @ParameterizedTest
    @CsvSource({
        "0x48545450, 1000, 2, the peer is no gpu_ordered_lat",
        "0x52344a47, 999, 2, the peer was started with 999 where this side has 1000",
        "0x52344a47, 1000, -1, the peer sends -1 bytes",
        "0x52344a47, 1000, 65537, the peer sends 65537 bytes",
        "0x52344a47, 1000, 3, the peer is gone or says nothing: it has closed the connection",
    })
    void invalidMessageOfThePeerIsRefused(String magic, int rounds, int length, String message) {
        assertThatThrownBy(() -> exchange(message(Integer.decode(magic), 4096, rounds, 0, length)))
                .isInstanceOf(PerftestException.class)
                .hasMessage(message);
    }

    @Test
    void nameThatNobodyHas() {
        OrderedOptions options = options("--connect", "a..b");
        PerftestException failure = catchThrowableOfType(PerftestException.class, () -> PeerLine.open(options));
        assertThat(failure).hasMessage("no address is known for the name a..b");
        assertThat(failure.remedy()).contains("--connect");
    }

    @Test
    void interfaceThatThisMachineLacks() {
        OrderedOptions options = options("--connect", "fe80::1%nope");
        PerftestException failure = catchThrowableOfType(PerftestException.class, () -> PeerLine.open(options));
        assertThat(failure).hasMessage("fe80::1%nope: no such interface nope");
        assertThat(failure.remedy()).contains("ip link");
    }
}
