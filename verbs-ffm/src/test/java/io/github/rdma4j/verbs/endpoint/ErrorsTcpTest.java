// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

class ErrorsTcpTest extends ErrorsContract {
    ErrorsTcpTest() {
        super("TCP");
    }
}
