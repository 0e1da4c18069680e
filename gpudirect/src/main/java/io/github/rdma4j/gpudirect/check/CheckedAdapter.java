// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import io.github.rdma4j.gpudirect.topology.RdmaAdapter;
import java.util.Optional;

/**
 * An adapter that was checked.
 *
 * @param place the adapter in sysfs
 * @param facts the adapter as libibverbs reports it; empty if libibverbs does not list it
 */
public record CheckedAdapter(RdmaAdapter place, Optional<AdapterFacts> facts) {
    /** {@return such as {@code mlx5_0}} */
    public String name() {
        return place.name();
    }

    Subject subject() {
        return Subject.adapter(name());
    }

    /** Returns why it cannot be used; empty if it can. */
    Optional<Problem> problem() {
        return facts.isEmpty()
                ? Optional.of(new Problem(
                        "libibverbs does not list it",
                        "install the user-space driver of its maker (package ibverbs-providers or libibverbs), and see"
                                + " that its node below /dev/infiniband is there"))
                : facts.get().problem();
    }
}
