// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.io.Serializable;
import java.util.List;
import java.util.Map;

/** The order to the guest's JVM: the tests, by JUnit Jupiter's unique ids, and their conditions. */
record Request(String token, List<String> ids, Map<String, String> configuration, long testTimeoutSeconds)
        implements Serializable {}
