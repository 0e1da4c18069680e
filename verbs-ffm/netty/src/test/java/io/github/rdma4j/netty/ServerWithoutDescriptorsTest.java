// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server in a process that has no file descriptor left for the client that comes. Over TCP. */
@Timeout(300)
class ServerWithoutDescriptorsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    /** The time without a free descriptor. ServerBootstrap's pause is a second. */
    private static final long PLAYED_MILLIS = 2500;

    /** Echoes; "take" takes all descriptors, and "give" gives them back. */
    static final class Server {
        private static final List<FileInputStream> TAKEN = new ArrayList<>();

        public static void main(String[] arguments) throws Exception {
            EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
            Channel server = new ServerBootstrap()
                    .group(loop)
                    .channel(RdmaServerSocketChannel.class)
                    .option(RdmaChannelOption.TRANSPORT, Transport.TCP)
                    .handler(new Completer())
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(new Echo());
                        }
                    })
                    .bind(HERE, 0)
                    .sync()
                    .channel();
            loadClasses();
            new ProcessBuilder("prlimit", "--pid=" + ProcessHandle.current().pid(), "--nofile=512:512")
                    .start()
                    .waitFor();
            System.out.println("port " + ((InetSocketAddress) server.localAddress()).getPort());
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                if (order.equals("take")) {
                    takeAll();
                } else {
                    for (FileInputStream file : TAKEN) {
                        file.close();
                    }
                }
                System.out.println("done " + TAKEN.size());
            }
        }

        private static void takeAll() {
            try {
                while (true) {
                    TAKEN.add(new FileInputStream("/dev/null"));
                }
            } catch (IOException e) {
                // There is none left.
            }
        }

        /** Without a descriptor none can be loaded from a folder. */
        private static void loadClasses() throws Exception {
            for (String part : System.getProperty("java.class.path").split(":")) {
                Path folder = Path.of(part);
                if (Files.isDirectory(folder) && !part.endsWith("test-classes")) {
                    try (Stream<Path> files = Files.walk(folder)) {
                        for (Path file : files.filter(each -> each.toString().endsWith(".class"))
                                .toList()) {
                            String name = folder.relativize(file).toString();
                            if (!name.startsWith("module-info")) {
                                Class.forName(
                                        name.replace(".class", "").replace('/', '.'),
                                        false,
                                        Server.class.getClassLoader());
                            }
                        }
                    }
                }
            }
        }
    }

    private static final class Completer extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            System.out.println("failure " + cause.getMessage());
            context.fireExceptionCaught(cause);
        }
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    @Test
    void serverReportsItPausesAndServesTheClientLater() throws Exception {
        try (Child child = new Child(Server.class)) {
            InetSocketAddress address = new InetSocketAddress(HERE, Integer.parseInt(child.await("port ")));
            try (Endpoint first = connect(address)) {
                echo(first, 1);
                long begin = System.nanoTime();
                child.write("take");
                child.await("done ");
                CompletableFuture<Endpoint> second = CompletableFuture.supplyAsync(() -> connect(address));
                assertThat(child.await("failure ")).contains("EMFILE", "ulimit -n");
                long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PLAYED_MILLIS);
                int echoes = 2;
                while (System.nanoTime() < end) {
                    echo(first, echoes++);
                    Thread.sleep(10);
                }
                assertThat(second).isNotDone();
                child.write("give");
                child.await("done ");
                int seconds = (int) TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
                assertThat(child.lines().stream().filter(line -> line.startsWith("failure ")))
                        .hasSizeBetween(1, 2 + seconds);
                try (Endpoint late = second.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                        Endpoint third = connect(address)) {
                    echo(late, 3);
                    echo(third, 4);
                    echo(first, 5);
                }
            }
        }
    }

    private static Endpoint connect(InetSocketAddress address) {
        return Endpoint.connect(address, config -> config.transport(Transport.TCP), PATIENCE);
    }

    private static void echo(Endpoint endpoint, int number) {
        byte[] message = {(byte) number};
        assertThat(endpoint.send(message, PATIENCE)).isTrue();
        assertThat(endpoint.receive(PATIENCE))
                .hasValueSatisfying(answer -> assertThat(answer).isEqualTo(message));
    }
}
