// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/** Two endpoints that are connected with each other, whatever is between them. */
interface Ends extends AutoCloseable {
    Endpoint left();

    Endpoint right();

    @Override
    void close();
}
