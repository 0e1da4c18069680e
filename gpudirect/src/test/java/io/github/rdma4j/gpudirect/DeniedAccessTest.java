// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.FirstTouch;
import io.github.rdma4j.gpudirect.nccl.Nccl;
import io.github.rdma4j.gpudirect.nccl.NcclUniqueId;
import io.github.rdma4j.gpudirect.storage.GpuStorage;
import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.FileDescriptorCopy;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.device.PortState;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.flow.FlowRule;
import io.github.rdma4j.verbs.pool.RegisteredMemoryPool;
import org.junit.jupiter.api.Test;

/** In a JVM that denies native access, every first call reports how to allow it. */
class DeniedAccessTest {
    @Test
    void noClassFailsToLoadWhicheverAProgramTouchesFirst() throws Exception {
        assertThat(FirstTouch.errors(
                        GpuDirect.class,
                        Nccl.class,
                        GpuStorage.class,
                        PciAddress.class,
                        Device.class,
                        SynchronousId.class,
                        PortState.class,
                        Endpoint.class,
                        FlowRule.class,
                        RegisteredMemoryPool.class))
                .isEmpty();
    }

    @Test
    void firstCallNamesTheOptionThatAllowsIt() throws Exception {
        assertThat(FirstTouch.run(Program.class))
                .hasSize(4)
                .allMatch(line -> line.contains("Illegal native access from an unnamed module")
                        && line.contains("Start the JVM with --enable-native-access=io.github.rdma4j."));
    }

    static final class Program {
        public static void main(String[] arguments) {
            report(Nccl::version);
            report(NcclUniqueId::create);
            report(() -> GpuStorage.on(null));
            report(() -> FileDescriptorCopy.of(0));
        }

        private static void report(Runnable call) {
            try {
                call.run();
            } catch (RuntimeException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
