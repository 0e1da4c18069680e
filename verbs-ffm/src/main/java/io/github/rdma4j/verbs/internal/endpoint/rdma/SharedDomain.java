// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.rdma;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ProtectionDomain;

/**
 * A protection domain of several endpoints. The last one that lets go of it closes it, and what is registered in it,
 * unless it is the program's.
 */
public final class SharedDomain {
    private final ProtectionDomain domain;
    private final boolean owned;
    private int users = 1;

    private SharedDomain(ProtectionDomain domain, boolean owned) {
        this.domain = domain;
        this.owned = owned;
    }

    /** One that the program has given. */
    public static SharedDomain of(ProtectionDomain domain) {
        return new SharedDomain(domain, false);
    }

    /** A new one, with one user. */
    public static SharedDomain allocate(DeviceContext context) {
        return new SharedDomain(context.allocateProtectionDomain(), true);
    }

    public ProtectionDomain domain() {
        return domain;
    }

    /** Adds a user, who must also let go. */
    public synchronized SharedDomain share() {
        users++;
        return this;
    }

    /** One user less. If the domain cannot be closed, {@link #closeUnused} tries again. */
    public synchronized void letGo() {
        users--;
        closeUnused();
    }

    /** Closes it if nobody uses it, which is idempotent. */
    public synchronized void closeUnused() {
        if (users == 0 && owned) {
            domain.close();
        }
    }
}
