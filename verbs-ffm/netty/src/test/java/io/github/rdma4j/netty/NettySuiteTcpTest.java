// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import org.junit.jupiter.api.Tag;

/** Netty's own tests, over TCP, on this machine. */
@Tag("full")
class NettySuiteTcpTest extends NettySuite {}
