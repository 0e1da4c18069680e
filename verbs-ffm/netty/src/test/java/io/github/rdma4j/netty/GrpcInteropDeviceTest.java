// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannelBuilder;
import io.grpc.ServerBuilder;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.testing.integration.AbstractInteropTest;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.lang.reflect.Method;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.Result;

/** gRPC's own interoperability tests, none of them edited, over channels of RDMA: with TLS and without. */
@Tag("device")
class GrpcInteropDeviceTest {
    private static final EventLoopGroup GROUP =
            new MultiThreadIoEventLoopGroup(2, new DefaultThreadFactory("grpc-rdma", true), RdmaIoHandler.newFactory());

    /** The tests of gRPC that run here; the others need what a transport does not have. */
    private static Stream<DynamicTest> testsOf(Class<? extends AbstractInteropTest> tests, String... names) {
        return Arrays.stream(AbstractInteropTest.class.getMethods())
                .filter(method -> method.isAnnotationPresent(org.junit.Test.class))
                .map(Method::getName)
                .filter(name -> names.length == 0 || Arrays.asList(names).contains(name))
                .sorted()
                .map(name -> DynamicTest.dynamicTest(name, () -> {
                    Result result = new JUnitCore().run(Request.method(tests, name));
                    assertThat(result.getFailures()).isEmpty();
                    assertThat(result.getRunCount()).isOne();
                }));
    }

    @TestFactory
    Stream<DynamicTest> someOfThem() {
        return testsOf(Plain.class, "largeUnary", "pingPong", "deadlineExceeded", "cancelAfterFirstResponse");
    }

    @Tag("full")
    @TestFactory
    Stream<DynamicTest> allOfThem() {
        return testsOf(Plain.class);
    }

    @Tag("full")
    @TestFactory
    Stream<DynamicTest> allOfThemWithTls() {
        return testsOf(WithTls.class);
    }

    private static NettyServerBuilder server() {
        return NettyServerBuilder.forAddress(RdmaTestNet.address())
                .channelType(RdmaServerSocketChannel.class)
                .bossEventLoopGroup(GROUP)
                .workerEventLoopGroup(GROUP)
                .flowControlWindow(AbstractInteropTest.TEST_FLOW_CONTROL_WINDOW)
                .maxInboundMessageSize(AbstractInteropTest.MAX_MESSAGE_SIZE);
    }

    private static NettyChannelBuilder client(InetSocketAddress server) {
        return NettyChannelBuilder.forAddress(server)
                .channelType(RdmaSocketChannel.class, InetSocketAddress.class)
                .eventLoopGroup(GROUP)
                .flowControlWindow(AbstractInteropTest.TEST_FLOW_CONTROL_WINDOW)
                .maxInboundMessageSize(AbstractInteropTest.MAX_MESSAGE_SIZE);
    }

    /** The tests do not give it to those outside their package. */
    private static InetSocketAddress addressOf(AbstractInteropTest test) {
        try {
            Method address = AbstractInteropTest.class.getDeclaredMethod("getListenAddress");
            address.setAccessible(true);
            return (InetSocketAddress) address.invoke(test);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Run by JUnit 4. */
    public static final class Plain extends AbstractInteropTest {
        @Override
        protected ServerBuilder<?> getServerBuilder() {
            return server();
        }

        @Override
        protected ManagedChannelBuilder<?> createChannelBuilder() {
            return client(addressOf(this)).usePlaintext().intercept(createCensusStatsClientInterceptor());
        }

        @Override
        protected boolean metricsExpected() {
            return false;
        }
    }

    /** Run by JUnit 4. */
    public static final class WithTls extends AbstractInteropTest {
        private static final X509Bundle CERTIFICATE = certificate();

        private static X509Bundle certificate() {
            try {
                return new CertificateBuilder()
                        .subject("CN=rdma4j.test")
                        .addSanDnsName("rdma4j.test")
                        .setIsCertificateAuthority(true)
                        .buildSelfSigned();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }

        private static SslContext context(SslContextBuilder builder) {
            try {
                return GrpcSslContexts.configure(builder, SslProvider.JDK).build();
            } catch (SSLException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        protected ServerBuilder<?> getServerBuilder() {
            return server().sslContext(context(SslContextBuilder.forServer(
                    CERTIFICATE.getKeyPair().getPrivate(), CERTIFICATE.getCertificatePath())));
        }

        @Override
        protected ManagedChannelBuilder<?> createChannelBuilder() {
            return client(addressOf(this))
                    .overrideAuthority("rdma4j.test")
                    .sslContext(context(SslContextBuilder.forClient().trustManager(CERTIFICATE.getCertificate())))
                    .intercept(createCensusStatsClientInterceptor());
        }

        @Override
        protected boolean metricsExpected() {
            return false;
        }
    }
}
