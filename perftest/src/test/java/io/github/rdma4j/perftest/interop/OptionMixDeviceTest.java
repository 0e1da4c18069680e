// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random mixes of options, in both roles, with a C tool of any version as the peer: none may fail that the C tool
 * passes with itself. {@code -Drdma4j.mixes=N} runs N of them, {@code -Drdma4j.mixes.seed=S} begins with a given one;
 * the name of a test has its seed. Without both, two known ones run: some mixes have C wait for itself for ever, and
 * cost minutes.
 */
@Tag("device")
class OptionMixDeviceTest {
    /** As many as a gate has time for. */
    private static final int FEW = 2;

    private static final int COUNT = Integer.getInteger("rdma4j.mixes", FEW);
    private static final long KNOWN = 20_261_125;
    private static final long SEED = Long.getLong(
            "rdma4j.mixes.seed",
            System.getProperty("rdma4j.mixes") == null ? KNOWN : new SplittableRandom().nextLong(1_000_000_000_000L));

    private static final Duration LIMIT = Duration.ofSeconds(90);

    static LongStream seeds() {
        return LongStream.range(SEED, SEED + COUNT);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void optionsThatCAcceptsWithItselfWorkWithUs(long seed) throws Exception {
        OptionMix mix = OptionMix.of(seed);
        List<Peer> peers = Peer.ofC();
        Peer peer = peers.get(new SplittableRandom(seed).split().nextInt(peers.size()));
        System.out.println(mix + " with C " + peer.word());
        play(mix, peer, Peer.JAVA, peer);
        play(mix, Peer.JAVA, peer, peer);
    }

    private static void play(OptionMix mix, Peer server, Peer client, Peer peer) throws Exception {
        Encounter ours = Encounter.of(mix.tool(), mix.options(), server, client, LIMIT);
        if (ours.passed()) {
            return;
        }
        Encounter theirs = Encounter.of(mix.tool(), mix.options(), peer, peer, LIMIT);
        if (theirs.passed()) {
            throw new AssertionError(mix + ": " + server + " server, " + client + " client failed; C " + peer.word()
                    + " passes with itself. Again: -Drdma4j.mixes=1 -Drdma4j.mixes.seed=" + mix.seed() + "\n" + ours);
        }
        System.out.println(mix + ": C " + peer.word() + " also fails with itself: " + theirs);
    }
}
