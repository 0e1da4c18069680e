// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The model of data paths: links, what packets add to data, copies, and how long messages take. Plain arithmetic, which
 * reads nothing. docs/predict.md has each formula with its source.
 */
package io.github.rdma4j.perftest.predict.model;
