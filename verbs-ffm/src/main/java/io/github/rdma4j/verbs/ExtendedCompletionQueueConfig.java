// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * What an extended completion queue is to be ({@code struct ibv_cq_init_attr_ex}), besides its size. Each setter
 * returns this object; everything has a default.
 *
 * @since 0.1.0
 */
public final class ExtendedCompletionQueueConfig {
    private final CompletionQueueConfig basic = new CompletionQueueConfig();
    private Set<WorkCompletionField> fields = WorkCompletionField.STANDARD;
    private boolean singleThreaded;
    private boolean ignoreOverrun;
    private ParentDomain parentDomain;

    ExtendedCompletionQueueConfig() {}

    /**
     * Where the queue announces completions; as {@link CompletionQueueConfig#channel}.
     *
     * @param completionChannel of the same device context
     * @return this
     */
    public ExtendedCompletionQueueConfig channel(CompletionChannel completionChannel) {
        basic.channel(completionChannel);
        return this;
    }

    /**
     * The completion vector; as {@link CompletionQueueConfig#completionVector}.
     *
     * @param vector from 0, less than {@link DeviceContext#completionVectorCount()}
     * @return this
     */
    public ExtendedCompletionQueueConfig completionVector(int vector) {
        basic.completionVector(vector);
        return this;
    }

    /**
     * What completions are to tell; default {@link WorkCompletionField#STANDARD}.
     *
     * @param wanted these and no others; none for work-request id, status, opcode, vendor error and flags only
     * @return this
     */
    public ExtendedCompletionQueueConfig fields(WorkCompletionField... wanted) {
        EnumSet<WorkCompletionField> set = EnumSet.noneOf(WorkCompletionField.class);
        for (WorkCompletionField field : wanted) {
            set.add(Objects.requireNonNull(field, "field"));
        }
        fields = Collections.unmodifiableSet(set);
        return this;
    }

    /**
     * Whether the driver may leave out its lock; default false. The program then must see to it that no two threads are
     * in any call on this queue at once, and that no thread is posting to its queue pairs while another polls. A
     * mistake here is not noticed, and loses completions.
     *
     * @param single true to leave it out
     * @return this
     */
    public ExtendedCompletionQueueConfig singleThreaded(boolean single) {
        singleThreaded = single;
        return this;
    }

    /**
     * Whether the device may write over completions that were not polled, in place of putting the queue into the error
     * state; default false. For programs that know that the queue cannot overrun.
     *
     * @param ignore true to let it
     * @return this
     */
    public ExtendedCompletionQueueConfig ignoreOverrun(boolean ignore) {
        ignoreOverrun = ignore;
        return this;
    }

    /**
     * A parent domain, whose thread domain says who uses the queue, and whose allocator provides its memory; default
     * none.
     *
     * @param domain a parent domain of the same device context
     * @return this
     */
    public ExtendedCompletionQueueConfig parentDomain(ParentDomain domain) {
        parentDomain = Objects.requireNonNull(domain, "parent domain");
        return this;
    }

    boolean ignoreOverrun() {
        return ignoreOverrun;
    }

    void check(DeviceContext context, int minEntries) {
        basic.check(context, minEntries);
        if (parentDomain != null) {
            parentDomain.requireOpen();
            if (parentDomain.context() != context) {
                throw new IllegalArgumentException("the parent domain belongs to another device context");
            }
        }
    }

    CompletionQueueConfig basic() {
        return basic;
    }

    Set<WorkCompletionField> wantedFields() {
        return fields;
    }

    int flags() {
        return (singleThreaded ? RdmaHeaders.IBV_CREATE_CQ_ATTR_SINGLE_THREADED() : 0)
                | (ignoreOverrun ? RdmaHeaders.IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN() : 0);
    }

    /** Null if there is none. */
    ParentDomain parentDomain() {
        return parentDomain;
    }
}
