// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** On an option that not every tool has: the others do not show it in their help, and refuse it, unless C's take it. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.METHOD})
@interface OnlyFor {
    /** The tools that have it: those that are in each of the sets. */
    ToolSet[] value();

    /** Whether the other tools take it all the same, without effect, because those of C do. */
    boolean ignoredElsewhere() default false;
}
