// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A sealed block of a one-sided transfer is corrupt. */
@Name("rdma4j.CorruptBlock")
@Label("Corrupt Block")
@Category("rdma4j")
@Description("A sealed block of data was verified, and has another sum than the one that stands behind it")
public final class CorruptBlockEvent extends Event {
    @Label("Length")
    @DataAmount
    private long length;

    @Label("Sealed")
    @Description("Whether there was a seal at all")
    private boolean sealed;

    @Label("Version")
    private long version;

    @Label("Expected Sum")
    @Description("That stands behind the data")
    private int expectedSum;

    @Label("Found Sum")
    @Description("Of the data")
    private int foundSum;

    private CorruptBlockEvent() {}

    /**
     * A block is not intact.
     *
     * @param length of the data, in bytes
     * @param sealed whether something was sealed there
     * @param version that stands behind the data
     * @param expectedSum that stands there, too
     * @param foundSum of the data and the version
     */
    public static void found(long length, boolean sealed, long version, int expectedSum, int foundSum) {
        CorruptBlockEvent event = new CorruptBlockEvent();
        if (event.shouldCommit()) {
            event.length = length;
            event.sealed = sealed;
            event.version = version;
            event.expectedSum = expectedSum;
            event.foundSum = foundSum;
            event.commit();
        }
    }
}
