// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import io.github.rdma4j.perftest.resources.RunQueues;
import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import java.time.Duration;

/**
 * The wait of a loop that has polled its completion queues without a result: poll again at once, or with {@code -e}
 * sleep until one of them announces a completion. The loop calls {@link #pause} after each fruitless poll. The first
 * call arms the queues, so that the poll after it finds earlier completions, and only the next call sleeps.
 */
public final class CompletionWait {
    /** How often a sleeping loop checks whether the run has ended. */
    private static final Duration LONGEST_SLEEP = Duration.ofMillis(50);

    private final CompletionChannel channel;
    private final CompletionQueue first;
    private final CompletionQueue second;
    private boolean armed;

    /** Waits for these queues. */
    public CompletionWait(RunQueues queues) {
        this.channel = queues.channel();
        this.first = queues.sends();
        this.second = queues.receives();
    }

    /** Waits after a fruitless poll. Sleeping allocates; polling does not. */
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
        channel.nextEvent(LONGEST_SLEEP);
        // A queue whose event is still pending is armed again, which costs only one poll of an empty queue.
        armed = false;
    }
}
