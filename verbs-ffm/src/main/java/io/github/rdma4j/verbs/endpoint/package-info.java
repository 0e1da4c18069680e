// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Endpoints: connections with messages, flow control and remote memory. The API that most programs need.
 *
 * <pre>{@code
 * // One side
 * try (EndpointServer server = EndpointServer.bind(new InetSocketAddress("10.0.0.1", 7471));
 *         Endpoint client = server.accept(Duration.ofMinutes(1)).orElseThrow();
 *         ExposedMemory shared = client.expose(1 << 20, AccessFlag.REMOTE_READ)) {
 *     client.send(shared.handle().toBytes(), Duration.ofSeconds(1));
 * }
 * // The other
 * try (Endpoint server = Endpoint.connect(new InetSocketAddress("10.0.0.1", 7471), Duration.ofSeconds(5));
 *         MemoryRegion local = server.allocateMemory(1 << 20)) {
 *     MemoryHandle shared = MemoryHandle.fromBytes(server.receive(Duration.ofSeconds(1)).orElseThrow());
 *     server.transfers().read(local.slice(), shared, Duration.ofSeconds(1));
 * }
 * }</pre>
 */
package io.github.rdma4j.verbs.endpoint;
