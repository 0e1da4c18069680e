// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MemberTableTest {
    @Test
    void holdsWhatAMapHolds() {
        Random random = new Random(5);
        MemberTable<Object> table = new MemberTable<>();
        Map<Integer, Object> map = new HashMap<>();
        for (int step = 0; step < 100_000; step++) {
            // Few numbers, that meet each other; close together, as adapters give them, and far apart.
            int number = random.nextBoolean() ? random.nextInt(200) : random.nextInt(100) << 17;
            if (map.containsKey(number)) {
                assertThat(table.remove(number, "another owner")).isFalse();
                assertThat(table.remove(number, map.remove(number))).isTrue();
            } else if (map.size() < 60) {
                Object owner = new Object();
                table.put(number, owner);
                map.put(number, owner);
            }
            assertThat(table.size()).isEqualTo(map.size());
            if (step % 50 == 0) {
                for (int i = 0; i < 200; i++) {
                    assertThat(table.get(i)).isSameAs(map.get(i));
                    assertThat(table.get(i << 17)).isSameAs(map.get(i << 17));
                }
            }
        }
    }

    @Test
    void growsAndRefusesTheSameTwice() {
        MemberTable<Integer> table = new MemberTable<>();
        List<Integer> owners = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            owners.add(i);
            table.put(i + 17, owners.get(i));
        }
        for (int i = 0; i < 3000; i++) {
            assertThat(table.get(i + 17)).isSameAs(owners.get(i));
        }
        assertThat(table.get(16)).isNull();
        assertThatThrownBy(() -> table.put(17, 1)).isInstanceOf(AssertionError.class);
    }
}
