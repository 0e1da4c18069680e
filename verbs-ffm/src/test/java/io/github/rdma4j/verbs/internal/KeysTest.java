// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A key, where people read. */
class KeysTest {
    @Test
    void itIsHiddenUnlessThePropertyIsSet() {
        assertThat(Keys.text(0xabc)).isEqualTo("hidden");
        assertThat(Keys.text(0xabc, true)).isEqualTo("0xabc");
        assertThat(Keys.PROPERTY).isEqualTo("io.github.rdma4j.verbs.showKeys");
    }
}
