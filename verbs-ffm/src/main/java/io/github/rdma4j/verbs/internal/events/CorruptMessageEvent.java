// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A message that is not what was sent. */
@Name("rdma4j.CorruptMessage")
@Label("Corrupt Message")
@Category("rdma4j")
@Description("A message of an endpoint had another sum than the one that came with it; the connection is lost")
public final class CorruptMessageEvent extends Event {
    @Label("Endpoint")
    @Description("Both addresses")
    private String endpoint;

    @Label("Number")
    @Description("Which message of the peer's it had to be, from 1")
    private long number;

    @Label("Length")
    @DataAmount
    private long length;

    @Label("Expected Sum")
    @Description("That came with the message")
    private int expectedSum;

    @Label("Found Sum")
    @Description("Of the bytes that came, with the number")
    private int foundSum;

    private CorruptMessageEvent() {}

    /**
     * A message is corrupt.
     *
     * @param endpoint both addresses
     * @param number which one was due, from 1
     * @param length in bytes, without the sum
     * @param expectedSum that came with it
     * @param foundSum of its bytes
     */
    public static void found(Object endpoint, long number, long length, int expectedSum, int foundSum) {
        CorruptMessageEvent event = new CorruptMessageEvent();
        if (event.shouldCommit()) {
            event.endpoint = endpoint.toString();
            event.number = number;
            event.length = length;
            event.expectedSum = expectedSum;
            event.foundSum = foundSum;
            event.commit();
        }
    }
}
