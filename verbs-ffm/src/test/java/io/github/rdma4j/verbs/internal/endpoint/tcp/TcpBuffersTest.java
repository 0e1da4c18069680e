// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In the memory of a connection over TCP, nothing overlaps, and receive buffers are reused in turn. */
class TcpBuffersTest {
    private static final int SENDS = 3;
    private static final int RECEIVES = 4;

    private TcpBuffers buffers;

    @AfterEach
    void close() {
        MemorySegment memory = buffers.memory();
        buffers.close();
        assertThat(memory.scope().isAlive()).isFalse();
    }

    private EndpointSettings.Sizes open(int size, boolean integrity) {
        EndpointSettings.Sizes sizes = new EndpointSettings.Sizes(RECEIVES, size, SENDS, integrity);
        buffers = new TcpBuffers(sizes);
        return sizes;
    }

    /** Each is written full, and then each still has what was written there. */
    @ParameterizedTest
    @ValueSource(ints = {1, 63, 64, 65, 4000})
    void noPlaceLiesInAnother(int size) {
        EndpointSettings.Sizes sizes = open(size, size % 2 == 0);
        int all = sizes.bufferSize();
        List<MemorySegment> places = new ArrayList<>();
        for (int i = 0; i < SENDS; i++) {
            places.add(buffers.memory().asSlice(buffers.word(i).offset(), Math.max(all, Long.BYTES)));
            assertThat(buffers.word(i).offset() % Long.BYTES).isZero();
        }
        for (int i = 0; i < RECEIVES + Credits.RESERVE; i++) {
            places.add(buffers.memory().asSlice(buffers.at(i), all));
        }
        places.add(buffers.input());
        places.add(buffers.output());
        assertThat(buffers.input().byteSize()).isEqualTo(1 << 17);
        assertThat(buffers.output().byteSize()).isEqualTo(1 << 17);
        for (int i = 0; i < places.size(); i++) {
            places.get(i).fill((byte) (i + 1));
        }
        for (int i = 0; i < places.size(); i++) {
            byte expected = (byte) (i + 1);
            assertThat(places.get(i).toArray(ValueLayout.JAVA_BYTE))
                    .as("place " + i)
                    .containsOnly(expected);
        }
        int first = SENDS + 1;
        for (int i = 0; i < RECEIVES + Credits.RESERVE; i++) {
            assertThat(buffers.copy(i, size)).hasSize(size).containsOnly((byte) (first + i));
            assertThat(buffers.message(i, size).toBytes()).hasSize(size).containsOnly((byte) (first + i));
            assertThat(buffers.arrived(i).remaining()).isEqualTo(all);
            assertThat(buffers.arrived(i).get(all - 1)).isEqualTo((byte) (first + i));
        }
    }

    /** docs/security.md has the formula. */
    @ParameterizedTest
    @ValueSource(ints = {1, 64, 65, 4096})
    void pageNamesTheirSize(int size) throws IOException {
        open(size, false);
        Matcher page = Pattern.compile(
                        "native memory of one connection \\| \\(`receiveBuffers` \\+ `sendDepth` \\+ (\\d+)\\)"
                                + " × `maxMessageSize`, rounded up to (\\d+) bytes, plus (\\d+) KiB")
                .matcher(Files.readString(Path.of("../docs/security.md")));
        assertThat(page.find()).isTrue();
        int unit = Integer.parseInt(page.group(2));
        int buffers = RECEIVES + SENDS + Integer.parseInt(page.group(1));
        assertThat(this.buffers.memory().byteSize())
                .isEqualTo((size + unit - 1) / unit * unit * buffers + (Integer.parseInt(page.group(3)) << 10));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void buffersAreFilledInTheOrderInWhichTheyWereGivenBack(int held) {
        open(8, false);
        Set<Integer> seen = new HashSet<>();
        Deque<Integer> taken = new ArrayDeque<>();
        for (int i = 0; i < RECEIVES + Credits.RESERVE; i++) {
            assertThat(buffers.hasFree()).isTrue();
            taken.add(buffers.takeFree());
            seen.add(taken.getLast());
        }
        assertThat(buffers.hasFree()).isFalse();
        assertThat(seen).hasSize(RECEIVES + Credits.RESERVE);
        for (int round = 0; round < 10; round++) {
            List<Integer> back = new ArrayList<>();
            for (int i = 0; i < held; i++) {
                back.add(taken.remove());
                buffers.giveBack(back.getLast());
            }
            for (int buffer : back) {
                assertThat(buffers.hasFree()).isTrue();
                assertThat(buffers.takeFree()).isEqualTo(buffer);
                taken.add(buffer);
            }
            assertThat(buffers.hasFree()).isFalse();
        }
    }
}
