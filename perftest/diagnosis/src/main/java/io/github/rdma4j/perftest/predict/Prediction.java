// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict;

import io.github.rdma4j.perftest.predict.model.DataPath;
import io.github.rdma4j.perftest.predict.model.MachineModel;
import java.util.List;

/**
 * The prediction to show.
 *
 * @param machine the machine
 * @param paths the paths of the machine
 * @param sizes message sizes in bytes
 * @param depth the number of messages in flight
 */
record Prediction(MachineModel machine, List<DataPath> paths, List<Long> sizes, int depth) {}
