// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce.choice;

import java.util.List;

/** A prediction of NCCL's choices on this machine. */
@FunctionalInterface
public interface Prediction {
    /**
     * Compares the choices in a log with the prediction.
     *
     * @param log of a rank on this machine
     * @param device CUDA's number of the rank's GPU
     * @return the choices, each with the result of its comparison
     */
    List<Choice> compare(NcclLog log, int device);
}
