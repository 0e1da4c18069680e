// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.ChildJvm;
import io.github.rdma4j.verbs.SoftDevice;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.endpoint.Disassociation;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A channel whose device refuses everything is closed; the event loop does not fail in each turn. */
@Tag("device")
@Tag("changes-machine")
@Tag("full")
class ValkeyDeviceRemovalDeviceTest {
    private static final SoftDevice DEVICE = new SoftDevice("valkey", 10);

    @BeforeEach
    void aDeviceOfItsOwn() throws Exception {
        DEVICE.make();
    }

    @AfterEach
    void theDeviceGoes() throws Exception {
        DEVICE.close();
    }

    /** Prints whether its channel was closed. */
    static final class User {
        public static void main(String[] arguments) throws Exception {
            CountDownLatch inactive = new CountDownLatch(1);
            EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, ValkeyIoHandler.newFactory());
            SynchronousId listener = SynchronousId.create(PortSpace.TCP);
            listener.listen(DEVICE.address(), 1);
            ChannelFuture connected = new Bootstrap()
                    .group(loop)
                    .channel(ValkeyChannel.class)
                    .handler(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext context, Object message) {
                            // The loop has taken a notification, and asks the device for the next one.
                            try {
                                Disassociation.from(DEVICE.name());
                            } catch (Throwable e) {
                                throw new AssertionError(e);
                            }
                        }

                        @Override
                        public void channelInactive(ChannelHandlerContext context) {
                            inactive.countDown();
                        }
                    })
                    .connect(listener.id().localAddress().orElseThrow());
            SynchronousId id = listener.getRequest(RawPeer.PATIENCE).orElseThrow();
            RawPeer peer = new RawPeer(id);
            id.accept(config -> {}, RawPeer.PATIENCE);
            peer.register();
            connected.get();
            // Until the loop sleeps.
            Thread.sleep(100);
            peer.post(new byte[1], 1);
            System.out.println("inactive " + inactive.await(RawPeer.PATIENCE.toSeconds(), TimeUnit.SECONDS));
            // The device lets nobody close anything.
            Runtime.getRuntime().halt(0);
        }
    }

    @Test
    void channelIsClosed() throws Exception {
        List<String> command = new ArrayList<>(List.of("env", "RDMAV_ALLOW_DISASSOC_DESTROY=1"));
        command.addAll(ChildJvm.command(User.class.getName(), List.of()));
        assertThat(ChildJvm.run(command)).contains("inactive true");
    }
}
