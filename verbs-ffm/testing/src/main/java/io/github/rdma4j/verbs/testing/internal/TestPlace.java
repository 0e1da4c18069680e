// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.util.function.BooleanSupplier;

/** Where the tests of a {@code @SoftRoce} class run. */
enum TestPlace {
    /** In this JVM. */
    HERE,
    /** In this JVM, which is the one in the guest. */
    GUEST,
    /** In a container. */
    CONTAINER,
    /** They are skipped. */
    NOWHERE;

    static TestPlace decide() {
        if (Boolean.getBoolean(Worker.MARK)) {
            return GUEST;
        }
        return decide(Settings.mode(), !LocalDevices.names().isEmpty(), Docker::isAvailable);
    }

    static TestPlace decide(String mode, boolean device, BooleanSupplier docker) {
        return switch (mode) {
            case "auto" -> device ? HERE : CONTAINER;
            case "local" -> HERE;
            case "container" -> CONTAINER;
            case "skip" -> device ? HERE : docker.getAsBoolean() ? CONTAINER : NOWHERE;
            default ->
                throw new IllegalArgumentException("rdma4j.softroce (or RDMA4J_SOFTROCE) is \"" + mode
                        + "\"; it can be auto, local, container or skip");
        };
    }
}
