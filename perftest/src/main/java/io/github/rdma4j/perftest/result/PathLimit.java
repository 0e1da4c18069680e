// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

/**
 * What the links of a test's data path leave its messages; docs/predict.md has the formulas.
 *
 * @param bytesPerSecond of long messages, both directions together where the test sends both ways
 * @param link the one that leaves least, such as {@code PCIe 4 x16 behind 256-byte payloads}
 */
public record PathLimit(double bytesPerSecond, String link) {}
