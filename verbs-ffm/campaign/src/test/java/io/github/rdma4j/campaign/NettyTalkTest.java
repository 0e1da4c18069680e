// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests how an end of Netty handles the events of its channel. */
class NettyTalkTest {
    private static final long LIMIT = 100;

    private final NettyTalk talk = new NettyStream(1, 7, 0, false);
    private final Content content = new Content(7 * 2 + 2, NettyTalk.LARGEST);
    private final EmbeddedChannel channel = channel(talk);

    private static EmbeddedChannel channel(NettyTalk talk) {
        return new EmbeddedChannel(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel made) {
                talk.addTo(made.pipeline());
            }
        });
    }

    private static ByteBuf frame(byte[] bytes) {
        return Unpooled.wrappedBuffer(Unpooled.copyInt(bytes.length), Unpooled.wrappedBuffer(bytes));
    }

    private void sayTheEnd() {
        channel.advanceTimeBy(1, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
    }

    private EndReport report() throws Exception {
        EndReport report = talk.report(LIMIT);
        channel.finishAndReleaseAll();
        return report;
    }

    @Test
    void channelClosesWhenBothEndsAreDone() throws Exception {
        channel.writeInbound(frame(content.message(1)), frame(content.message(2)));
        sayTheEnd();
        assertThat(channel.isOpen()).isTrue();
        channel.writeInbound(frame(Content.last(2)));
        assertThat(channel.isOpen()).isFalse();
        EndReport report = report();
        assertThat(report).isEqualTo(new EndReport("machine 1", 0, 2, 0, true, "", 0, "", "", List.of()));
    }

    @Test
    void exceptionBeforeTheEndIsReported() throws Exception {
        channel.pipeline().fireExceptionCaught(new SocketException("Connection reset"));
        channel.close();
        EndReport report = report();
        assertThat(report.failure()).isEqualTo("SocketException: Connection reset");
        assertThat(report.whole()).isFalse();
        assertThat(report.wrong()).isEmpty();
        assertThat(report.hung()).isEmpty();
    }

    @Test
    void endThatIsNoneOfThePeersIsWrong() throws Exception {
        channel.close();
        assertThat(report().wrong()).isEqualTo("the stream ended behind 0 messages as if the peer had closed it");
    }

    @Test
    void anotherByteIsWrong() throws Exception {
        byte[] message = content.message(1);
        message[message.length - 1] ^= 1;
        channel.writeInbound(frame(message));
        assertThat(report().wrong()).contains("message 1 was to come");
    }

    @Test
    void endWithoutAnExceptionHangs() throws Exception {
        assertThat(report().hung()).isEqualTo("a channel with 0 writes under way, active");
    }
}
