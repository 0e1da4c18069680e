// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import java.lang.reflect.Method;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RdmaRedisClientTest {
    static Stream<Method> factories() {
        return Stream.of(RedisClient.class.getMethods())
                .filter(method -> method.getName().equals("create"));
    }

    /** A factory that the class only inherits makes a client over TCP. */
    @ParameterizedTest
    @MethodSource("factories")
    void eachFactoryIsOfThisClass(Method inherited) throws Exception {
        Method own = RdmaRedisClient.class.getMethod("create", inherited.getParameterTypes());
        ClientResources resources = ClientResources.create();
        Object[] arguments = Arrays.stream(own.getParameterTypes())
                .map(type -> type == String.class
                        ? "redis://127.0.0.1:1"
                        : type == RedisURI.class ? RedisURI.create("redis://127.0.0.1:1") : resources)
                .toArray();
        try (RedisClient client = (RedisClient) own.invoke(null, arguments)) {
            assertThat(client).isInstanceOf(RdmaRedisClient.class);
        } finally {
            resources.shutdown();
        }
    }

    @Test
    void tlsIsRefused() {
        try (RedisClient client = RdmaRedisClient.create(RedisURI.create("rediss://127.0.0.1:6379"))) {
            assertThatThrownBy(client::connect)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("no TLS over RDMA");
        }
    }

    /** Resolving may take seconds. The JDK refuses this name itself. */
    @Test
    void eventLoopResolvesNoNames() {
        try (RedisClient client = RdmaRedisClient.create(RedisURI.create("0x7f.1", 6379))) {
            Throwable failure = catchThrowable(client::connect).getCause();
            assertThat(failure).isInstanceOf(UnknownHostException.class);
            assertThat(failure.getStackTrace())
                    .noneMatch(frame -> frame.getClassName().contains("EventExecutor"));
        }
    }
}
