// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

/**
 * The subject of a finding.
 *
 * @param kind host, GPU, adapter or a pair
 * @param gpu such as {@code GPU0}; empty if it is about no GPU
 * @param adapter such as {@code mlx5_0}; empty if it is about no adapter
 */
public record Subject(Kind kind, String gpu, String adapter) {
    /** The kinds of subjects. */
    public enum Kind {
        /** The machine. */
        HOST,
        /** A GPU. */
        GPU,
        /** An RDMA adapter. */
        ADAPTER,
        /** A GPU together with an adapter. */
        PAIR
    }

    static Subject host() {
        return new Subject(Kind.HOST, "", "");
    }

    static Subject gpu(String name) {
        return new Subject(Kind.GPU, name, "");
    }

    static Subject adapter(String name) {
        return new Subject(Kind.ADAPTER, "", name);
    }

    static Subject pair(String gpu, String adapter) {
        return new Subject(Kind.PAIR, gpu, adapter);
    }

    /** {@return such as {@code host}, {@code GPU0}, {@code mlx5_0} or {@code GPU0 - mlx5_0}} */
    @Override
    public String toString() {
        return switch (kind) {
            case HOST -> "host";
            case GPU -> gpu;
            case ADAPTER -> adapter;
            case PAIR -> gpu + " - " + adapter;
        };
    }
}
