// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.perftest.talk.Message;
import io.github.rdma4j.perftest.talk.Protocol;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes between the ends, right and wrong. */
class MessageTest {
    private static Message read(byte[] bytes) {
        Message.Header header =
                Message.header(Protocol.DOCTOR, Arrays.copyOf(bytes, Math.min(bytes.length, Message.HEADER_BYTES)));
        return Message.of(
                header,
                Arrays.copyOfRange(
                        bytes, Message.HEADER_BYTES, Math.min(bytes.length, Message.HEADER_BYTES + header.length())));
    }

    private static byte[] message(String body) {
        byte[] text = body.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Message.HEADER_BYTES + text.length)
                .put("RDMA4JDR".getBytes(StandardCharsets.US_ASCII))
                .putShort((short) Message.VERSION)
                .putShort((short) Message.Kind.ORDER.ordinal())
                .putInt(text.length)
                .put(text)
                .array();
    }

    @Test
    void writtenValuesAreReadBack() {
        for (Message.Kind kind : Message.Kind.values()) {
            Message message = new Message(
                    kind,
                    new Fields()
                            .with("name", "v = w")
                            .with("n", -7)
                            .with("yes", true)
                            .with("empty", ""));
            assertThat(read(message.encode(Protocol.DOCTOR))).isEqualTo(message);
        }
    }

    @Test
    void machineIsReadAsItWas() {
        PeerMachine machine = new PeerMachine(
                "1.0",
                "alpha",
                "6.8",
                IntStream.range(0, 30)
                        .mapToObj(i -> Machines.roce("mlx5_" + i, "0a63:0001"))
                        .toList(),
                IntStream.range(0, 30).mapToObj(i -> "failure " + i).toList());
        assertThat(machine.ports()).hasSize(PeerMachine.MOST_PORTS);
        assertThat(machine.failures()).hasSize(PeerMachine.MOST_FAILURES);
        assertThat(PeerMachine.of(read(new Message(Message.Kind.MACHINE, machine.fields()).encode(Protocol.DOCTOR))
                        .fields()))
                .isEqualTo(machine);
        PeerMachine other = Machines.with(
                Machines.infiniBand("fe80:0000:0000:0000:0000:0000:0000:0002", "0xffff"), Machines.iwarp());
        assertThat(PeerMachine.of(other.fields())).isEqualTo(other);
    }

    /** The fullest machine that there can be fits into a message. */
    @Test
    void longTablesFit() {
        String gids = IntStream.range(0, PeerPort.MOST_GIDS)
                .mapToObj("20010db8000000000000000000000%03x"::formatted)
                .map(text -> text.replaceAll("(.{4})(?!$)", "$1:"))
                .collect(Collectors.joining(" "));
        PeerPort port = new PeerPort(
                "x".repeat(900),
                1,
                Transport.ROCE,
                "ACTIVE",
                true,
                4096,
                3,
                gids.substring(0, 39),
                PeerPort.ROCE_V2,
                "a reason",
                Arrays.asList(gids.split(" ")),
                "eth0",
                9000,
                0,
                IntStream.range(0, PeerPort.MOST_KEYS)
                        .mapToObj("0x80%02x"::formatted)
                        .toList(),
                -1);
        PeerMachine machine = new PeerMachine(
                "1.0",
                "h".repeat(900),
                "k",
                IntStream.range(0, PeerMachine.MOST_PORTS).mapToObj(_ -> port).toList(),
                IntStream.range(0, PeerMachine.MOST_FAILURES)
                        .mapToObj(_ -> "f".repeat(5000))
                        .toList());
        byte[] bytes = new Message(Message.Kind.MACHINE, machine.fields()).encode(Protocol.DOCTOR);
        assertThat(bytes.length).isLessThan(Fields.MOST_BYTES);
        assertThat(PeerMachine.of(read(bytes).fields()).ports()).containsOnly(port);
    }

    @Test
    void valuesAreOneLineOfPrintableText() {
        Fields fields = new Fields().with("v", "a\nb\u001b[31mc\u202ed" + (char) 0xd800 + "e");
        assertThat(fields.text("v")).isEqualTo("a b [31mc d e");
        assertThat(new Fields().with("v", "é".repeat(5000)).text("v")).hasSize(Fields.MOST_VALUE);
        assertThat(new Fields().with("v", "\ud83d\ude00".repeat(501) + "x").text("v"))
                .hasSize(Fields.MOST_VALUE);
        assertThat(new Fields().with("v", "x" + "\ud83d\ude00".repeat(501)).text("v"))
                .hasSize(Fields.MOST_VALUE - 1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no line",
                "=value",
                "UPPER=x",
                "a=1\na=2",
                "a=b\rc",
                "a=\u0007",
                "a=\u202e",
                "name with space=x",
                "-a=x"
            })
    void otherBodiesAreRefused(String body) {
        assertThatThrownBy(() -> read(message(body))).isInstanceOf(BadMessageException.class);
    }

    @Test
    void longValuesManyFieldsAndNoTextAreRefused() {
        String many = IntStream.range(0, 3000).mapToObj(i -> "f" + i + "=").collect(Collectors.joining("\n"));
        for (byte[] bad : new byte[][] {
            message("a=" + "x".repeat(Fields.MOST_VALUE + 1)),
            message(many),
            message("x").clone()
        }) {
            assertThatThrownBy(() -> read(bad)).isInstanceOf(BadMessageException.class);
        }
        byte[] noText = message("a=xyz");
        noText[noText.length - 1] = (byte) 0xff;
        assertThatThrownBy(() -> read(noText))
                .isInstanceOf(BadMessageException.class)
                .hasMessageContaining("is not text");
    }

    @Test
    void headersAreHeldToTheirBounds() {
        byte[] huge = message("a=b");
        ByteBuffer.wrap(huge).putInt(12, Integer.MAX_VALUE);
        assertThatThrownBy(() -> Message.header(Protocol.DOCTOR, huge))
                .isInstanceOf(BadMessageException.class)
                .hasMessageContaining("2147483647 bytes; the longest has 65536");
        ByteBuffer.wrap(huge).putInt(12, -1);
        assertThatThrownBy(() -> Message.header(Protocol.DOCTOR, huge)).hasMessageContaining("4294967295 bytes");
        byte[] kind = message("a=b");
        kind[11] = 77;
        assertThatThrownBy(() -> Message.header(Protocol.DOCTOR, kind)).hasMessageContaining("of the unknown kind 77");
        assertThatThrownBy(
                        () -> Message.header(Protocol.DOCTOR, "HTTP/1.1 400 Bad".getBytes(StandardCharsets.US_ASCII)))
                .hasMessage("it is not rdma4j doctor: it sent \"HTTP/1.1 400 Bad\"");
        assertThatThrownBy(() -> Message.header(Protocol.DOCTOR, new byte[] {0x16, 3, 1, '"'}))
                .hasMessageContaining("\"\\x16\\x03\\x01\\x22\"");
        assertThatThrownBy(() -> Message.header(Protocol.DOCTOR, "RDMA4JDR..".getBytes(StandardCharsets.US_ASCII)))
                .hasMessageContaining("ends after 10 bytes");
    }

    @Test
    void numbersAreHeldToTheirBounds() {
        Fields fields = new Fields().with("n", "70000").with("t", "12x").with("big", "9".repeat(19));
        assertThat(fields.number("n", 0, 70000)).isEqualTo(70000);
        assertThatThrownBy(() -> fields.number("n", 1, 69999))
                .isInstanceOf(BadMessageException.class)
                .hasMessageContaining("not a number from 1 to 69999: \"70000\"");
        assertThatThrownBy(() -> fields.number("t", 0, 99)).isInstanceOf(BadMessageException.class);
        assertThatThrownBy(() -> fields.number("big", 0, Long.MAX_VALUE)).isInstanceOf(BadMessageException.class);
        assertThatThrownBy(() -> fields.number("none", 0, 1)).hasMessageContaining("has no field none");
        assertThatThrownBy(() -> fields.yes("n")).isInstanceOf(BadMessageException.class);
    }

    /** Whatever comes is understood or refused, and nothing else happens. */
    @Test
    void spoiltMessagesAreUnderstoodOrRefused() {
        byte[] good = new Message(
                        Message.Kind.MACHINE,
                        Machines.with(Machines.roce("mlx5_0", "0a63:0001")).fields())
                .encode(Protocol.DOCTOR);
        long seed = 20261124;
        Random random = new Random(seed);
        int understood = 0;
        int refused = 0;
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = good.clone();
            int changes = 1 + random.nextInt(4);
            for (int i = 0; i < changes; i++) {
                // Most of them in the body: a header that is wrong hides the rest.
                int at = random.nextInt(10) == 0 ? random.nextInt(Message.HEADER_BYTES) : random.nextInt(good.length);
                bytes[at] = random.nextInt(3) == 0 ? (byte) random.nextInt(256) : (byte) (' ' + random.nextInt(95));
            }
            if (random.nextInt(5) == 0) {
                bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
            }
            try {
                PeerMachine machine = PeerMachine.of(read(bytes).fields());
                assertThat(machine.ports()).hasSizeLessThanOrEqualTo(PeerMachine.MOST_PORTS);
                understood++;
            } catch (BadMessageException _) {
                refused++;
            }
        }
        assertThat(understood).isPositive();
        assertThat(refused).isPositive();
    }
}
