// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.endpoint.EndpointGroup;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess;

/** The member of {@link EndpointGroup} that only the implementation may use; see {@link EndpointAccess}. */
public interface GroupAccess {
    GroupAccess ACCESS = (GroupAccess) EndpointAccess.ACCESS;

    /** The queues that the endpoints of a group share on a device. */
    SharedQueues queues(EndpointGroup group, DeviceContext device);
}
