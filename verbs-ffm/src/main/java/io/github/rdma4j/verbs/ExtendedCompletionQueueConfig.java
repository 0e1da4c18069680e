// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * Settings of an extended completion queue ({@code struct ibv_cq_init_attr_ex}), except its size. Each setter returns
 * this object, and each setting has a default.
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
     * Sets the channel in which the queue announces completions; see {@link CompletionQueueConfig#channel}.
     *
     * @param completionChannel of the same device context
     * @return this
     */
    public ExtendedCompletionQueueConfig channel(CompletionChannel completionChannel) {
        basic.channel(completionChannel);
        return this;
    }

    /**
     * Sets the completion vector; see {@link CompletionQueueConfig#completionVector}.
     *
     * @param vector from 0, less than {@link DeviceContext#completionVectorCount()}
     * @return this
     */
    public ExtendedCompletionQueueConfig completionVector(int vector) {
        basic.completionVector(vector);
        return this;
    }

    /**
     * Sets the fields that completions have; default {@link WorkCompletionField#STANDARD}.
     *
     * @param wanted exactly these fields; with none, completions have the work-request id, status, opcode, vendor error
     *     and flags only
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
     * Sets whether the driver may omit its lock; default false. If true, the program must make sure that no two threads
     * call this queue at once, and that no thread posts to its queue pairs while another polls. A violation is not
     * detected, and loses completions.
     *
     * @param single true to omit the lock
     * @return this
     */
    public ExtendedCompletionQueueConfig singleThreaded(boolean single) {
        singleThreaded = single;
        return this;
    }

    /**
     * Sets whether the device may overwrite completions that were not polled, instead of moving the queue to the error
     * state; default false. For programs whose queue cannot overrun.
     *
     * @param ignore true to allow it
     * @return this
     */
    public ExtendedCompletionQueueConfig ignoreOverrun(boolean ignore) {
        ignoreOverrun = ignore;
        return this;
    }

    /**
     * Sets a parent domain, whose thread domain names the thread that uses the queue, and whose allocator provides its
     * memory; default none.
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

    /** Returns null if there is none. */
    ParentDomain parentDomain() {
        return parentDomain;
    }
}
