// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.mesh.Rounds.Pair;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RoundsTest {
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 8, 33, 64})
    void eachPairMeetsOnceAndNoHostTwiceInARound(int hosts) {
        // The ranks of the hosts that have arrived need not be consecutive.
        List<Integer> ranks =
                IntStream.range(0, hosts).map(i -> 3 * i + 1).boxed().toList();

        List<List<Pair>> rounds = Rounds.of(ranks);

        assertThat(rounds).hasSize(hosts % 2 == 0 ? hosts - 1 : hosts);
        Set<Pair> met = new HashSet<>();
        for (List<Pair> round : rounds) {
            Set<Integer> busy = new HashSet<>();
            for (Pair pair : round) {
                assertThat(pair.a()).isLessThan(pair.b());
                assertThat(busy.add(pair.a()) && busy.add(pair.b())).isTrue();
                assertThat(met.add(pair)).isTrue();
            }
        }
        assertThat(met).hasSize(hosts * (hosts - 1) / 2);
        assertThat(ranks).containsAll(met.stream().map(Pair::a).toList());
    }
}
