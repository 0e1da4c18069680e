// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The wire of an SRD queue pair, the only kind that an Elastic Fabric Adapter connects programs with. A TCP connection
 * exchanges the addresses and stays open. Not exported.
 */
package io.github.rdma4j.verbs.internal.endpoint.srd;
