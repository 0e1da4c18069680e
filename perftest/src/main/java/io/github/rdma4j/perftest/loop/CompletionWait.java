// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import io.github.rdma4j.perftest.resources.TestQueues;
import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import java.time.Duration;

/**
 * What a loop does when it has polled its completion queues and found nothing: poll again at once, or with {@code -e}
 * sleep until one of them announces something. The loop asks after each fruitless poll; the first question arms the
 * queues, so that the poll after it finds what came before, and only the next one sleeps.
 */
public final class CompletionWait {
    /** So often a sleeping loop sees whether the run is over. */
    private static final Duration NAP = Duration.ofMillis(50);

    private final CompletionChannel channel;
    private final CompletionQueue first;
    private final CompletionQueue second;
    private boolean armed;

    /** Of these queues. */
    public CompletionWait(TestQueues queues) {
        this.channel = queues.channel();
        this.first = queues.sends();
        this.second = queues.receives();
    }

    /** Nothing was found. Sleeping allocates; polling does not. */
    void pause() {
        if (channel != null) {
            sleep();
        }
    }

    private void sleep() {
        if (!armed) {
            first.requestNotification(false);
            if (second != first) {
                second.requestNotification(false);
            }
            armed = true;
            return;
        }
        channel.nextEvent(NAP);
        // A queue whose event is still to come is armed again, which costs nothing but a look into an empty queue.
        armed = false;
    }
}
