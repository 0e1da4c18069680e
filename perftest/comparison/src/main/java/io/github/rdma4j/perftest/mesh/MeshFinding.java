// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import java.util.List;

/**
 * A host or a link that stands out, or is missing.
 *
 * @param kind its kind
 * @param ranks the host, the two hosts of a link, or hosts with the same reason
 * @param text one sentence that names them
 * @param remedy what to look at; may be empty
 */
record MeshFinding(Kind kind, List<Integer> ranks, String text, String remedy) {
    /** Copies the list. */
    MeshFinding {
        ranks = List.copyOf(ranks);
    }

    /** The kinds, the most severe ones first. */
    enum Kind {
        /** A host took no part, or not until the end. */
        HOST_MISSING,
        /** No pair with the host could be measured. */
        HOST_UNREACHABLE,
        /** Hosts have no GPU memory that can be measured, or the adapter does not reach it. */
        HOST_GPU,
        /** All pairs of a host are slow. */
        HOST_SLOW,
        /** All pairs of a host lose packets. */
        HOST_LOSSY,
        /** One pair could not be measured. */
        LINK_FAILED,
        /** One pair is slow. */
        LINK_SLOW,
        /** One pair loses packets. */
        LINK_LOSSY
    }
}
