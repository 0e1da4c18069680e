// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

/**
 * The rate that the links of a test's data path allow; docs/predict.md has the formulas.
 *
 * @param bytesPerSecond the rate of long messages, both directions together if the test sends both ways
 * @param link the limiting link, such as {@code PCIe 4 x16 behind 256-byte payloads}
 */
public record PathLimit(double bytesPerSecond, String link) {}
