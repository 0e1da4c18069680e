// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict;

import io.github.rdma4j.perftest.predict.model.DataPath;
import io.github.rdma4j.perftest.predict.model.MachineModel;
import java.util.List;

/**
 * What is shown.
 *
 * @param machine for which
 * @param paths its ways
 * @param sizes message sizes in bytes
 * @param depth messages on their way at once
 */
record Prediction(MachineModel machine, List<DataPath> paths, List<Long> sizes, int depth) {}
