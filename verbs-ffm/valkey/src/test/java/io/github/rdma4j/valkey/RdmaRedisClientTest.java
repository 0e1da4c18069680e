// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.Test;

class RdmaRedisClientTest {
    @Test
    void tlsIsRefused() {
        try (RedisClient client = RdmaRedisClient.create(RedisURI.create("rediss://127.0.0.1:6379"))) {
            assertThatThrownBy(client::connect)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("no TLS over RDMA");
        }
    }
}
