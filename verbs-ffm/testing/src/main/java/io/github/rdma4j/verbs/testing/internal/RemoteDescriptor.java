// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.util.Set;
import java.util.stream.Collectors;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.AbstractTestDescriptor;

/** A test or container that runs in the guest, as it is shown here. */
final class RemoteDescriptor extends AbstractTestDescriptor {
    private final String legacyName;
    private final Type type;
    private final Set<TestTag> tags;
    private final boolean registersMore;

    /** A copy of one that JUnit Jupiter has discovered here, with all below it. */
    RemoteDescriptor(TestDescriptor discovered) {
        super(
                Ids.ours(discovered.getUniqueId()),
                discovered.getDisplayName(),
                discovered.getSource().orElse(null));
        legacyName = discovered.getLegacyReportingName();
        type = discovered.getType();
        tags = discovered.getTags();
        registersMore = discovered.mayRegisterTests();
        for (TestDescriptor child : discovered.getChildren()) {
            addChild(new RemoteDescriptor(child));
        }
    }

    /** One that came into being while the tests ran. */
    RemoteDescriptor(Event.Registered event) {
        super(Ids.ours(UniqueId.parse(event.id())), event.name(), event.source());
        legacyName = event.legacyName();
        type = event.type();
        tags = event.tags().stream().map(TestTag::create).collect(Collectors.toSet());
        registersMore = event.container();
    }

    @Override
    public String getLegacyReportingName() {
        return legacyName;
    }

    @Override
    public Type getType() {
        return type;
    }

    @Override
    public Set<TestTag> getTags() {
        return tags;
    }

    @Override
    public boolean mayRegisterTests() {
        return registersMore;
    }
}
