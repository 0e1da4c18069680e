// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Settings of {@link MemoryRegion#reregister}; settings that are not made do not change. Each setter returns this
 * object. Thread safety: for one thread.
 *
 * @since 0.1.0
 */
public final class ReregistrationConfig {
    private MemorySegment segment;
    private ProtectionDomain domain;
    private boolean accessGiven;
    private int access;

    ReregistrationConfig() {}

    /**
     * Sets other memory ({@code IBV_REREG_MR_CHANGE_TRANSLATION}).
     *
     * @param memory native memory, not empty
     * @return this
     */
    public ReregistrationConfig segment(MemorySegment memory) {
        segment = Objects.requireNonNull(memory, "memory");
        return this;
    }

    /**
     * Sets another protection domain ({@code IBV_REREG_MR_CHANGE_PD}).
     *
     * @param other of the same device context
     * @return this
     */
    public ReregistrationConfig protectionDomain(ProtectionDomain other) {
        domain = Objects.requireNonNull(other, "domain");
        return this;
    }

    /**
     * Replaces all rights ({@code IBV_REREG_MR_CHANGE_ACCESS}).
     *
     * @param flags the rights, which must be compatible
     * @return this
     */
    public ReregistrationConfig access(AccessFlag... flags) {
        access = AccessFlag.mask(flags);
        accessGiven = true;
        return this;
    }

    int flags() {
        return (segment == null ? 0 : RdmaHeaders.IBV_REREG_MR_CHANGE_TRANSLATION())
                | (domain == null ? 0 : RdmaHeaders.IBV_REREG_MR_CHANGE_PD())
                | (accessGiven ? RdmaHeaders.IBV_REREG_MR_CHANGE_ACCESS() : 0);
    }

    MemorySegment segment() {
        return segment;
    }

    ProtectionDomain domain() {
        return domain;
    }

    /** Returns the rights afterwards. */
    int access(int before) {
        return accessGiven ? access : before;
    }
}
