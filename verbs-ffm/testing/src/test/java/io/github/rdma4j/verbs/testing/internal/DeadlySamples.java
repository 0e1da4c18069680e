// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import io.github.rdma4j.verbs.testing.SoftRoce;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Tests that do not come back. */
final class DeadlySamples {
    private DeadlySamples() {}

    @SoftRoce
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class Hangs {
        @Test
        @Order(1)
        void passes() {}

        @Test
        @Order(2)
        void hangs() throws InterruptedException {
            Thread.sleep(1_000_000);
        }

        @Test
        @Order(3)
        void comesAfter() {}
    }

    @SoftRoce
    static class Kills {
        @Test
        void killsItsJvm() {
            System.out.println("class path " + System.getProperty("java.class.path"));
            System.err.println("famous last words");
            Runtime.getRuntime().halt(77);
        }
    }
}
