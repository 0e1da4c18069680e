// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.recordings;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** When a test began and how it ended, so that a recording shows what belongs to it. */
@Name("rdma4j.tests.Test")
@Label("Test of rdma4j")
@Category("rdma4j")
@Description("From the beginning of a test to its end")
@StackTrace(false)
final class TestEvent extends Event {
    @Label("Name")
    String name;

    @Label("Test")
    @Description("JUnit's name for it")
    String test;

    @Label("Failure")
    String failure;
}
