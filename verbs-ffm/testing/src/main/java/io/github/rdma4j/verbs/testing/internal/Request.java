// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.io.Serializable;
import java.util.List;
import java.util.Map;

/** What the JVM in the guest is to do: the tests, by JUnit Jupiter's unique ids, and under which conditions. */
record Request(String token, List<String> ids, Map<String, String> configuration, long testTimeoutSeconds)
        implements Serializable {}
