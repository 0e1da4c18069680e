// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import java.util.function.Consumer;

/** The settings that a configuration gives. */
public final class TestSettings {
    private TestSettings() {}

    public static EndpointSettings of(Consumer<EndpointConfig> configuration) {
        EndpointConfig config = new EndpointConfig();
        configuration.accept(config);
        return config.settings();
    }
}
