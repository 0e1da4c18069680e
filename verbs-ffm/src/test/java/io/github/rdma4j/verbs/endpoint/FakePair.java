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

/** Two endpoints with everything but verbs: real threads, real locks, and a wire within the process. */
final class FakePair implements AutoCloseable {
    final FakeCarrier leftCarrier;
    final FakeCarrier rightCarrier;
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
        leftCarrier = carrier(wire, config);
        rightCarrier = carrier(wire, config);
        FakeCarrier.connect(leftCarrier, rightCarrier);
        left = endpoint("left", leftCarrier, config, spinLimit);
        right = endpoint("right", rightCarrier, config, spinLimit);
    }

    private static FakeCarrier carrier(Object wire, EndpointSettings config) {
        return new FakeCarrier(
                wire, true, config.sizes().sendDepth(), config.sizes().receiveBuffers());
    }

    private static Endpoint endpoint(String name, FakeCarrier carrier, EndpointSettings config, Duration spinLimit) {
        Protocol protocol = new Protocol(
                "endpoint " + name,
                carrier,
                new Credits(config.sizes().receiveBuffers(), config.sizes().receiveBuffers()),
                config.sizes().sendDepth(),
                config.sizes().maxMessageSize(),
                config.sizes().maxMessageSize(),
                new Silence(config.times().silence().toNanos(), false),
                EndpointExceptions.OF_ENDS);
        Engine engine = new Engine(carrier, protocol, new SpinTime(spinLimit.toNanos()));
        return new Endpoint(engine, null, Duration.ofSeconds(5), new Hello(Hello.VERSION, 1, 0, new byte[0]));
    }

    @Override
    public void close() {
        left.abort();
        right.abort();
    }
}
