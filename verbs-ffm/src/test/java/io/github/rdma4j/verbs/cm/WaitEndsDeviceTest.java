// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static io.github.rdma4j.verbs.cm.CmTestNet.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.WaitingThread;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each method of connections that waits: an interrupt and a close by another thread end it, and after an interrupt the
 * operation can be waited for once more.
 */
@Tag("device")
@Tag("parallel")
@Timeout(600)
class WaitEndsDeviceTest {
    private static final InetSocketAddress HERE = CmTestNet.ipv4();
    private static final InetSocketAddress GROUP = new InetSocketAddress("239.7.4.72", 0);
    private static final Consumer<ConnectConfig> DEFAULTS = config -> {};

    private final List<AutoCloseable> opened = new ArrayList<>();

    /** A method that waits for an event that does not come in this test. */
    enum Wait {
        RESOLVE {
            @Override
            void call(WaitEndsDeviceTest test) {
                test.client.resolve(absent(), PATIENCE);
            }

            /**
             * The attempt is still under way in the kernel, so the id cannot be used any more, as the documentation
             * explains.
             */
            @Override
            void goOn(WaitEndsDeviceTest test) {
                test.client.close();
                test.client = test.opened(SynchronousId.create(PortSpace.TCP));
                test.resolve();
            }
        },
        RESOLVE_FROM_A_SOURCE {
            @Override
            void call(WaitEndsDeviceTest test) {
                test.client.resolve(HERE, absent(), PATIENCE);
            }

            @Override
            void goOn(WaitEndsDeviceTest test) {
                RESOLVE.goOn(test);
            }
        },
        CONNECT {
            @Override
            void prepare(WaitEndsDeviceTest test) {
                test.resolve();
                test.opened(CmEnd.of(test.client.id()));
            }

            @Override
            void call(WaitEndsDeviceTest test) {
                test.client.connect(DEFAULTS, PATIENCE);
            }

            @Override
            void goOn(WaitEndsDeviceTest test) {
                test.takeRequest();
                test.request.id().accept(DEFAULTS);
                test.client.await(CmEventType.ESTABLISHED, PATIENCE);
            }
        },
        GET_REQUEST {
            @Override
            void call(WaitEndsDeviceTest test) {
                test.server.getRequest(PATIENCE);
            }

            @Override
            SynchronousId waitedOn(WaitEndsDeviceTest test) {
                return test.server;
            }

            @Override
            void goOn(WaitEndsDeviceTest test) {
                test.establish();
            }
        },
        ACCEPT {
            /** Without a queue pair of the id, the peer answers only when its program calls accept. */
            @Override
            void prepare(WaitEndsDeviceTest test) {
                test.resolve();
                test.client.id().connect(config -> config.queuePairNumber(CmTestNet.nextNumber()));
                test.takeRequest();
            }

            @Override
            void call(WaitEndsDeviceTest test) {
                test.request.accept(DEFAULTS, PATIENCE);
            }

            @Override
            SynchronousId waitedOn(WaitEndsDeviceTest test) {
                return test.request;
            }

            @Override
            void goOn(WaitEndsDeviceTest test) {
                test.client.await(CmEventType.CONNECT_RESPONSE, PATIENCE);
                test.client.id().establish();
                test.request.await(CmEventType.ESTABLISHED, PATIENCE);
            }
        },
        DISCONNECT {
            @Override
            void prepare(WaitEndsDeviceTest test) {
                test.establish();
            }

            @Override
            void call(WaitEndsDeviceTest test) {
                test.client.disconnect(PATIENCE);
            }

            @Override
            void goOn(WaitEndsDeviceTest test) {
                test.request.disconnect(PATIENCE);
                test.client.await(CmEventType.DISCONNECTED, PATIENCE);
            }
        },
        AWAIT {
            @Override
            void prepare(WaitEndsDeviceTest test) {
                test.establish();
            }

            @Override
            void call(WaitEndsDeviceTest test) {
                test.client.await(CmEventType.DISCONNECTED, PATIENCE);
            }

            @Override
            void goOn(WaitEndsDeviceTest test) {
                test.request.id().disconnect();
                test.client.await(CmEventType.DISCONNECTED, PATIENCE);
            }
        },
        NEXT_EVENT {
            @Override
            void call(WaitEndsDeviceTest test) {
                test.client.id().channel().nextEvent(PATIENCE);
            }

            @Override
            void goOn(WaitEndsDeviceTest test) {
                test.establish();
            }
        };

        void prepare(WaitEndsDeviceTest test) {}

        abstract void call(WaitEndsDeviceTest test);

        SynchronousId waitedOn(WaitEndsDeviceTest test) {
            return test.client;
        }

        /** After an interrupt: what was begun comes to its end. */
        abstract void goOn(WaitEndsDeviceTest test);
    }

    private final SynchronousId server = opened(SynchronousId.create(PortSpace.TCP));
    private SynchronousId client = opened(SynchronousId.create(PortSpace.TCP));
    private SynchronousId request;

    WaitEndsDeviceTest() {
        server.listen(HERE, 4);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable resource : opened.reversed()) {
            resource.close();
        }
    }

    private <T extends AutoCloseable> T opened(T resource) {
        opened.add(resource);
        return resource;
    }

    /** An address of the same net that nobody has: the kernel asks for it, again and again. */
    private static InetSocketAddress absent() {
        byte[] neighbour = HERE.getAddress().getAddress();
        neighbour[3] = 77;
        return CmTestNet.withPort(CmTestNet.address(neighbour), 4711);
    }

    private void resolve() {
        client.resolve(server.id().localAddress().orElseThrow(), PATIENCE);
    }

    private void takeRequest() {
        request = opened(server.getRequest(PATIENCE).orElseThrow());
        opened(CmEnd.of(request.id()));
    }

    private void establish() {
        resolve();
        opened(CmEnd.of(client.id()));
        client.id().connect(DEFAULTS);
        takeRequest();
        request.id().accept(DEFAULTS);
        client.await(CmEventType.ESTABLISHED, PATIENCE);
        request.await(CmEventType.ESTABLISHED, PATIENCE);
    }

    @ParameterizedTest
    @EnumSource
    void interruptEndsTheWaitAndTheOperationGoesOn(Wait wait) throws Exception {
        wait.prepare(this);
        WaitingThread.in(wait.ordinal() % 2 == 0, () -> wait.call(this)).interrupt();
        wait.goOn(this);
    }

    @ParameterizedTest
    @EnumSource
    void closeEndsTheWait(Wait wait) throws Exception {
        wait.prepare(this);
        WaitingThread.in(wait.ordinal() % 2 != 0, () -> wait.call(this)).close(wait.waitedOn(this));
    }

    @Test
    void interruptedEndpointIsClosed() throws Exception {
        CmAddress address = CmAddress.resolve(absent().getAddress().getHostAddress(), "4711", PortSpace.TCP)
                .getFirst();
        long before = descriptors();
        WaitingThread.in(false, () -> address.createEndpoint(PATIENCE)).interrupt();
        assertThat(descriptors())
                .as("descriptors of an earlier test may be closed meanwhile")
                .isLessThanOrEqualTo(before);
    }

    @Test
    void interruptedJoinCanBeWaitedFor() {
        try (SynchronousId id = SynchronousId.create(PortSpace.UDP)) {
            id.id().bind(HERE);
            Thread.currentThread().interrupt();
            try {
                id.joinMulticast(GROUP, MulticastMembership.FULL_MEMBER, PATIENCE);
                assertThat(Thread.interrupted()).isTrue();
            } catch (WaitInterruptedException e) {
                assertThat(Thread.interrupted()).isTrue();
                id.await(CmEventType.MULTICAST_JOIN, PATIENCE);
            }
        }
    }

    /** Only of RDMA: the poller of virtual threads closes its own when it has been idle for a while. */
    private static long descriptors() throws Exception {
        try (var list = Files.list(Path.of("/proc/self/fd"))) {
            return list.filter(WaitEndsDeviceTest::isOfRdma).count();
        }
    }

    private static boolean isOfRdma(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().contains("infiniband");
        } catch (IOException e) {
            return false; // closed since it was listed
        }
    }
}
