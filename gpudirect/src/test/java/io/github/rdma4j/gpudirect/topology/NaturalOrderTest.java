// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NaturalOrderTest {
    /** Each before all that follow, whichever two are compared. */
    private static final List<String> ORDERED = List.of(
            "mlx5_",
            "mlx5_02",
            "mlx5_2",
            "mlx5_10",
            "mlx5_10x",
            "mlx5_1x",
            "mlx5_99999999999",
            "mlx5_bond",
            "mlx5_bond0",
            "rxe0");

    @Test
    void numbersCountAndEveryThreeNamesHaveOneOrder() {
        for (int i = 0; i < ORDERED.size(); i++) {
            for (int j = 0; j < ORDERED.size(); j++) {
                assertThat(Integer.signum(NaturalOrder.compare(ORDERED.get(i), ORDERED.get(j))))
                        .as("%s and %s", ORDERED.get(i), ORDERED.get(j))
                        .isEqualTo(Integer.compare(i, j));
            }
        }
    }
}
