// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * A queue pair could not be modified (ibv_modify_qp(3)). The message gives the likely cause: the transition does not
 * exist, attributes are missing or superfluous, a value is out of range, or there is no path to the peer. The queue
 * pair is unchanged.
 *
 * @serial exclude
 * @since 0.1.0
 */
public final class ModifyQueuePairException extends VerbsException {
    private static final long serialVersionUID = 1L;

    private final QueuePairState from;
    private final QueuePairState to;
    private final EnumSet<QueuePairAttribute> missing;
    private final EnumSet<QueuePairAttribute> superfluous;

    /**
     * Creates an exception for a modification that was refused.
     *
     * @param operation the verb with its arguments
     * @param errno the positive errno value
     * @param explanation the cause
     * @param remedy what to do
     * @param from the current state
     * @param to the requested state
     * @param missing the attributes that the transition needs and that were not set
     * @param superfluous the attributes that were set and that the transition does not take
     */
    public ModifyQueuePairException(
            String operation,
            int errno,
            String explanation,
            String remedy,
            QueuePairState from,
            QueuePairState to,
            Set<QueuePairAttribute> missing,
            Set<QueuePairAttribute> superfluous) {
        super(operation, errno, explanation, remedy);
        this.from = from;
        this.to = to;
        this.missing = QueuePairAttribute.copyOf(missing);
        this.superfluous = QueuePairAttribute.copyOf(superfluous);
    }

    /**
     * {@return the state of the queue pair, which did not change; {@link QueuePairState#UNKNOWN} if it could not be
     * queried}
     */
    public QueuePairState from() {
        return from;
    }

    /** {@return the requested state; the same as {@link #from()} if no state was set} */
    public QueuePairState to() {
        return to;
    }

    /** {@return the attributes that the transition needs and that were not set} */
    public Set<QueuePairAttribute> missing() {
        return Collections.unmodifiableSet(missing);
    }

    /** {@return the attributes that were set and that the transition does not take} */
    public Set<QueuePairAttribute> superfluous() {
        return Collections.unmodifiableSet(superfluous);
    }
}
