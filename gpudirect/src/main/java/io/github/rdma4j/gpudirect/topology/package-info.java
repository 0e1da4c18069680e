// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The positions of GPUs and RDMA adapters: PCI functions, the bridges above them, their distance as
 * {@code nvidia-smi topo -m} names it, NUMA nodes and links. All of it is read from sysfs, without a driver or a
 * library.
 *
 * <p>{@link io.github.rdma4j.gpudirect.topology.Topology#ofThisMachine()} reads a machine;
 * {@link io.github.rdma4j.gpudirect.topology.Topology#adaptersFor} orders the adapters for a GPU, the nearest first.
 */
package io.github.rdma4j.gpudirect.topology;
