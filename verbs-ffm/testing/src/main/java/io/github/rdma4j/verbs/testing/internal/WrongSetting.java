// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import org.junit.platform.engine.EngineExecutionListener;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.AbstractTestDescriptor;

/**
 * A test that fails because a setting cannot be understood, by which tests would have been found. Build tools show it;
 * why a discovery has failed they hide.
 */
final class WrongSetting extends AbstractTestDescriptor {
    private final IllegalArgumentException failure;

    WrongSetting(UniqueId engine, IllegalArgumentException failure) {
        super(engine.append("setting", "wrong"), "the settings of @SoftRoce");
        this.failure = failure;
    }

    @Override
    public Type getType() {
        return Type.TEST;
    }

    void run(EngineExecutionListener listener) {
        listener.executionStarted(this);
        listener.executionFinished(this, TestExecutionResult.failed(failure));
    }
}
