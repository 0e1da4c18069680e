// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.pool;

/**
 * The pages that a pool's memory shall be made of. Adapters translate addresses by page: with large ones they keep the
 * translations of much more memory at hand.
 *
 * @since 0.1.0
 */
public enum HugePages {
    /** What the kernel gives, which may be huge pages or not. */
    NONE,
    /** The kernel is asked to use huge pages (madvise(2), MADV_HUGEPAGE); needs no preparation. */
    TRANSPARENT,
    /**
     * Pages from the reserve of the administrator ({@code /proc/sys/vm/nr_hugepages}; mmap(2), MAP_HUGETLB); where
     * there are not enough, transparent ones.
     */
    EXPLICIT
}
