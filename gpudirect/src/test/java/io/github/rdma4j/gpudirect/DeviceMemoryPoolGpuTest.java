// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import org.junit.jupiter.api.Tag;

/** The pool of registered device memory, on the machine's first GPU. */
@Tag("gpu")
class DeviceMemoryPoolGpuTest extends DeviceMemoryPoolBehaviour {}
