// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.Errno;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

class InlineSizesTest {
    private final List<Integer> tried = new ArrayList<>();

    @Test
    void deviceThatGrantsTheSizeIsAskedOnce() {
        assertThat(InlineSizes.largest(64, 0, device(128, Errno.EINVAL))).isEqualTo(64);
        assertThat(tried).containsExactly(64);
    }

    @Test
    void deviceWithLessIsAskedForLess() {
        assertThat(InlineSizes.largest(64, 0, device(48, Errno.EINVAL))).isEqualTo(48);
        assertThat(InlineSizes.largest(64, 0, device(32, Errno.EINVAL))).isEqualTo(32);
        assertThat(InlineSizes.largest(64, 0, device(0, Errno.EINVAL))).isZero();
    }

    @Test
    void leastIsAlwaysAskedFor() {
        assertThat(InlineSizes.largest(0, 12, device(128, Errno.EINVAL))).isEqualTo(12);
        assertThat(InlineSizes.largest(64, 12, device(16, Errno.EINVAL))).isEqualTo(12);
        assertThatThrownBy(() -> InlineSizes.largest(64, 12, device(8, Errno.EINVAL)))
                .hasMessageStartingWith("creation with 64");
    }

    @Test
    void otherFailuresAreNotRepeated() {
        assertThatThrownBy(() -> InlineSizes.largest(64, 0, device(32, Errno.ENOMEM)))
                .hasMessageStartingWith("creation with 64");
        assertThat(tried).containsExactly(64);
    }

    private IntFunction<Integer> device(int limit, int errno) {
        return size -> {
            tried.add(size);
            if (size > limit) {
                throw new VerbsException("creation with " + size, errno, "", "");
            }
            return size;
        };
    }
}
