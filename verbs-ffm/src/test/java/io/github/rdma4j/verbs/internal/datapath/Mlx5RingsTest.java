// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Mlx5RingsTest {
    @ParameterizedTest
    @ValueSource(strings = {"libmlx5.so.1.24.44.0", "libmlx5.so.1.25.56.1", "libmlx5.so.1.27.65.0"})
    void versionsWhoseBytesWereComparedHaveRings(String library) {
        assertThatCode(() -> Mlx5Rings.requireComparedVersion(library)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"libmlx5.so.1.17.33.2", "libmlx5.so.1.28.66.0", "libmlx5.so.1", "libmlx5.so.1.24.99999.0"})
    void othersAreNamed(String library) {
        assertThatThrownBy(() -> Mlx5Rings.requireComparedVersion(library))
                .isInstanceOf(RingRefusal.class)
                .hasMessage("rings of mlx5 adapters were compared with libmlx5 of rdma-core 44 to 65, and this is "
                        + library);
    }
}
