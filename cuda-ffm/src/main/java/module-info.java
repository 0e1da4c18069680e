// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The CUDA driver API for Java, through the Foreign Function and Memory API.
 *
 * <p>Nothing is loaded at start: the NVIDIA driver's {@code libcuda.so.1} is opened on first use, which needs native
 * access ({@code --enable-native-access=io.github.rdma4j.cuda}).
 */
module io.github.rdma4j.cuda {
    requires io.github.rdma4j.base;

    exports io.github.rdma4j.cuda;
}
