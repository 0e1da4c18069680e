// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;

class ValkeyRdmaDeviceTest extends ValkeyCommands {
    @Override
    RedisClient client(RedisURI uri) {
        return RdmaRedisClient.create(uri);
    }
}
