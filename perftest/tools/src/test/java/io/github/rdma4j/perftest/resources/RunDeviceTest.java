// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RunDeviceTest {
    @ParameterizedTest
    @EnumSource
    void partitionAboveTheTableIsRefused(Tool tool) {
        RunParameters first = RunParameters.parse(tool);
        RunParameters second = RunParameters.parse(tool, "--pkey_index", "1");

        // An iWARP device has no table.
        assertThatCode(() -> RunDevice.checkPartition(first, "siw0", 0)).doesNotThrowAnyException();
        assertThatCode(() -> RunDevice.checkPartition(first, "rxe0", 1)).doesNotThrowAnyException();
        assertThatCode(() -> RunDevice.checkPartition(second, "mlx5_0", 2)).doesNotThrowAnyException();
        assertThatThrownBy(() -> RunDevice.checkPartition(second, "rxe0", 1))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessage("--pkey_index: 1 is not allowed; rxe0 has partition key 0 only");
        RunParameters last = RunParameters.parse(tool, "--pkey_index", "65535");
        assertThatThrownBy(() -> RunDevice.checkPartition(last, "mlx5_0", 128))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessage("--pkey_index: 65535 is not allowed; mlx5_0 has partition keys 0 to 127");
    }
}
