// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
module consumer {
    requires io.github.rdma4j.gpudirect;
    requires io.github.rdma4j.verbs;
}
