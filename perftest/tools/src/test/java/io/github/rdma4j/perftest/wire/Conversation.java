// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.Mtu;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * All messages of the two sides of a test, without a test between them. Our classes are one side, and what an honest
 * peer would send.
 *
 * @param queuePairs how many keys are exchanged
 * @param withGid the form of the keys
 * @param handshake whether an exchange comes before the keys, as in latency tests
 * @param version the protocol version that the peer announces
 */
public record Conversation(int queuePairs, boolean withGid, boolean handshake, String version) {
    /** The agreed values, and the report at the end of a run. */
    record Agreement(SystemData layout, Mtu mtu, List<PeerKeys> keys, BandwidthReport report) {}

    static final SystemData OURS = new SystemData(4096, 64);

    static Conversation any(RandomGenerator random) {
        return new Conversation(
                1 + random.nextInt(4),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean() ? "6.06" : "6.29");
    }

    /** Returns the messages of a peer of a bandwidth test, with damage. */
    public static byte[] spoilt(RandomGenerator random) {
        List<byte[]> messages = new Conversation(1, true, false, "6.06").ofPeer(false);
        Mutations.spoil(messages, random);
        return stream(messages);
    }

    private PeerKeys keys() {
        return new PeerKeys(1, 1, 0x11, 0x22, 0x33, 0x7f0000000000L, withGid ? Gid.ZERO : null);
    }

    /** Our side of the conversation, as the tools run it. The channel's own limit applies to every wait. */
    Agreement speak(ControlChannel channel, Duration limit) {
        WireVersion.exchange(channel);
        SystemData layout = OURS.agree(channel);
        Mtu mtu = MtuExchange.agree(channel, Mtu.MTU_2048);
        if (handshake) {
            keys().exchange(channel, "handshake");
        }
        List<PeerKeys> remote = new ArrayList<>();
        for (int i = 0; i < queuePairs; i++) {
            remote.add(keys().exchange(channel, "address and key"));
        }
        for (int i = 0; i < queuePairs; i++) {
            keys().exchange(channel, "confirmation");
        }
        keys().exchange(channel, "start signal");
        keys().exchange(channel, "end of the run", limit);
        BandwidthReport report =
                BandwidthReport.NOTHING.exchange(channel, limit).check(channel);
        keys().exchange(channel, "end of the test");
        return new Agreement(layout, mtu, remote, report);
    }

    /** The messages of an honest peer, in order. */
    List<byte[]> ofPeer(boolean binary) {
        PeerKeys theirs =
                new PeerKeys(2, 1, 0xabcdef, 0x123456, 0x80001234, 0x7f1234567000L, withGid ? Gid.ZERO : null);
        byte[] keys = binary ? theirs.encodeBinary(version.equals("6.29")) : theirs.encodeText();
        List<byte[]> messages = new ArrayList<>();
        messages.add(Arrays.copyOf(version.getBytes(StandardCharsets.US_ASCII), 16));
        messages.add(ByteBuffer.allocate(4).putInt(4096).array());
        messages.add(ByteBuffer.allocate(4).putInt(64).array());
        messages.add(new byte[] {'3', 0});
        for (int i = 0; i < (handshake ? 1 : 0) + 2 * queuePairs + 2; i++) {
            messages.add(keys.clone());
        }
        messages.add(ByteBuffer.allocate(8).putLong(65536).array());
        messages.add(ByteBuffer.allocate(8).putLong(5000).array());
        for (double value : new double[] {101.5, 100.25, 1.5}) {
            messages.add(ByteBuffer.allocate(8).putDouble(value).array());
        }
        messages.add(keys.clone());
        return messages;
    }

    /** All of them behind each other, as TCP carries them. */
    static byte[] stream(List<byte[]> messages) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        messages.forEach(all::writeBytes);
        return all.toByteArray();
    }
}
