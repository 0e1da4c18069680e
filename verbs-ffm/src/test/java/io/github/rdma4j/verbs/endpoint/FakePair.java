// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointExceptions;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.Engine;
import io.github.rdma4j.verbs.internal.endpoint.engine.SpinTime;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Silence;
import java.time.Duration;
import java.util.function.Consumer;

/** Two endpoints without verbs: real threads, real locks, and a wire within the process. */
final class FakePair implements AutoCloseable {
    final FakeTransport leftTransport;
    final FakeTransport rightTransport;
    final Endpoint left;
    final Endpoint right;

    FakePair(Consumer<EndpointConfig> configuration) {
        this(TestSettings.of(configuration));
    }

    FakePair(EndpointSettings config) {
        this(config, config.times().spin());
    }

    /** Two that spin for longer than a program may ask. */
    FakePair(EndpointSettings config, Duration spinLimit) {
        Object wire = new Object();
        leftTransport = transport(wire, config);
        rightTransport = transport(wire, config);
        FakeTransport.connect(leftTransport, rightTransport);
        left = endpoint("left", leftTransport, config, spinLimit);
        right = endpoint("right", rightTransport, config, spinLimit);
    }

    private static FakeTransport transport(Object wire, EndpointSettings config) {
        return new FakeTransport(
                wire, true, config.sizes().sendDepth(), config.sizes().receiveBuffers());
    }

    private static Endpoint endpoint(
            String name, FakeTransport transport, EndpointSettings config, Duration spinLimit) {
        Protocol protocol = new Protocol(
                "endpoint " + name,
                transport,
                new Credits(config.sizes().receiveBuffers(), config.sizes().receiveBuffers()),
                config.sizes().sendDepth(),
                config.sizes().maxMessageSize(),
                config.sizes().maxMessageSize(),
                new Silence(config.times().silence().toNanos(), false),
                EndpointExceptions.OF_ENDS);
        Engine engine = new Engine(transport, protocol, new SpinTime(spinLimit.toNanos()));
        return new Endpoint(engine, null, Duration.ofSeconds(5), new Hello(Hello.VERSION, 1, 0, new byte[0]));
    }

    @Override
    public void close() {
        left.abort();
        right.abort();
    }
}
