// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.pool;

/**
 * The page size of a pool's memory. Adapters translate addresses by page, so with large pages their translation cache
 * covers much more memory.
 *
 * @since 0.1.0
 */
public enum HugePages {
    /** The kernel's choice, which may or may not be huge pages. */
    NONE,
    /** The kernel is asked for huge pages (madvise(2), MADV_HUGEPAGE); this needs no preparation. */
    TRANSPARENT,
    /**
     * Pages from the administrator's reserve ({@code /proc/sys/vm/nr_hugepages}; mmap(2), MAP_HUGETLB), or transparent
     * huge pages if the reserve is too small.
     */
    EXPLICIT
}
