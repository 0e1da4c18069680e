// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The kernels of the tests. The stand-in can simulate them, and a real GPU runs their PTX. */
final class Kernels {
    private Kernels() {}

    static String ptx() {
        try (InputStream file = Kernels.class.getResourceAsStream("kernels.ptx")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
