// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/** The program: the list of its commands. */
module io.github.rdma4j.perftest {
    requires io.github.rdma4j.perftest.comparison;
}
