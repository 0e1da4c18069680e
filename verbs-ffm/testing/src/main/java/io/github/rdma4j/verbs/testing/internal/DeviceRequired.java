// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Guards a {@code @SoftRoce} class that JUnit Jupiter runs in this JVM: it needs a device, unless {@code
 * rdma4j.softroce} is {@code skip}.
 */
public final class DeviceRequired implements ExecutionCondition, BeforeAllCallback {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (TestPlace.decide() == TestPlace.NOWHERE) {
            return ConditionEvaluationResult.disabled(
                    "no RDMA device here, no Docker engine, and rdma4j.softroce is skip");
        }
        return ConditionEvaluationResult.enabled("there is a place for it");
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        switch (TestPlace.decide()) {
            case GUEST -> {
                // The worker has been started where devices are.
            }
            case HERE -> {
                if (LocalDevices.names().isEmpty()) {
                    throw new IllegalStateException(
                            "rdma4j.softroce is local, and this machine has no RDMA device that can be opened"
                                    + " (/dev/infiniband/uverbs*). Load a driver (modprobe rdma_rxe; rdma link"
                                    + " add rxe0 type rxe netdev eth0), or leave rdma4j.softroce out: the tests run in"
                                    + " a container then.");
                }
            }
            case CONTAINER, NOWHERE -> {
                Settings.classes(); // the engine takes no part if they cannot be understood
                Class<?> outermost = context.getRequiredTestClass();
                while (outermost.getEnclosingClass() != null) {
                    outermost = outermost.getEnclosingClass();
                }
                throw new IllegalStateException(
                        SoftRoceTestEngine.claims(outermost)
                                ? "this class was to run in a container. Run it again by its class, not by an"
                                        + " id of junit-jupiter."
                                : "this machine has no RDMA device, and the test engine " + SoftRoceTestEngine.ID
                                        + " that runs @SoftRoce classes in a container takes no part in this run, or"
                                        + " the annotation is not on the outermost class ("
                                        + outermost.getName()
                                        + "). Include the engine " + SoftRoceTestEngine.ID
                                        + " beside junit-jupiter, or annotate that class.");
            }
        }
    }
}
