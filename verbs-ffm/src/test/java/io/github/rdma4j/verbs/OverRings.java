// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Has the tests of a class open their device for rings. They share a JVM with the others, and run one by one. */
final class OverRings implements BeforeAllCallback, AfterAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        TestDevice.open(DataPath.RINGS);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        TestDevice.open((DataPath) null);
    }
}
