// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.bindings.LibIbVerbs;
import io.github.rdma4j.verbs.bindings.LibRdmaCm;
import java.io.IOException;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A function that is called with words in registers must have only such parameters in the bindings. */
class ExportedVerbTest {
    /** As NativeLibraries demands it. */
    private static final int OLDEST = 32;

    @ParameterizedTest
    @EnumSource
    void allArgumentsAndTheResultTravelInRegistersForIntegers(ExportedVerb verb) throws ReflectiveOperationException {
        requireWords(LibIbVerbs.class, verb.symbol());
    }

    @Test
    void neitherHaveThoseOfConnectionManagementOthers() throws ReflectiveOperationException {
        int functions = 0;
        for (Field field : CmCalls.class.getDeclaredFields()) {
            if (field.getType() == ExportedFunction.class) {
                field.setAccessible(true);
                requireWords(LibRdmaCm.class, ((ExportedFunction) field.get(null)).symbol());
                functions++;
            }
        }
        assertThat(functions).isGreaterThan(25);
    }

    /** Debian's package lists the version of each symbol. scripts/lib/other-versions tests old libraries. */
    @Test
    void versionThatBroughtAFunctionIsKnown() throws IOException {
        Path lists = Path.of("/var/lib/dpkg/info");
        if (!Files.isDirectory(lists)) {
            return; // a guest whose packages are unpacked only
        }
        Path symbols;
        try (Stream<Path> files = Files.list(lists)) {
            symbols = files.filter(file -> file.getFileName().toString().matches("libibverbs1(:\\w+)?\\.symbols"))
                    .findFirst()
                    .orElseThrow();
        }
        Map<String, Integer> came = new HashMap<>();
        Matcher symbol = Pattern.compile("(?m)^ (\\w+)@IBVERBS_1\\.\\d+ (\\d+)(\\.\\d+)*$")
                .matcher(Files.readString(symbols));
        while (symbol.find()) {
            // 1.1.6 and the like are versions from before rdma-core.
            came.put(symbol.group(1), symbol.group(3) == null ? Integer.parseInt(symbol.group(2)) : 1);
        }
        for (ExportedVerb verb : ExportedVerb.values()) {
            int version = came.get(verb.symbol());
            assertThat(verb.version()).as(verb.symbol()).isEqualTo(version > OLDEST ? version : 0);
        }
    }

    @Test
    void missingFunctionIsRefusedWithItsVersion() {
        ExportedFunction later = new ExportedFunction(NativeLibraries.VERBS, "ibv_of_tomorrow", 99);
        assertThat(later.isPresent()).isFalse();
        assertThatThrownBy(later::pointer)
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_of_tomorrow failed: EOPNOTSUPP")
                .hasMessageContaining("it needs rdma-core 99 or later");
    }

    private static void requireWords(Class<?> bindings, String symbol) throws ReflectiveOperationException {
        FunctionDescriptor descriptor =
                (FunctionDescriptor) bindings.getMethod(symbol + "$descriptor").invoke(null);
        assertThat(descriptor.argumentLayouts())
                .hasSizeLessThanOrEqualTo(ColdCalls.WORDS)
                .allMatch(ExportedVerbTest::isWord);
        assertThat(descriptor.returnLayout().stream()).allMatch(ExportedVerbTest::isWord);
    }

    private static boolean isWord(MemoryLayout layout) {
        return layout instanceof AddressLayout
                || layout instanceof ValueLayout.OfLong
                || layout instanceof ValueLayout.OfInt
                || layout instanceof ValueLayout.OfShort
                || layout instanceof ValueLayout.OfByte;
    }

    /** strtol takes three arguments, so three words are left over; of what it returns an int keeps the lower half. */
    @Test
    void wordsArriveInOrderAndTheResultHasItsSign() {
        Linker linker = Linker.nativeLinker();
        MemorySegment strtol = linker.defaultLookup().findOrThrow("strtol");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom("-7f");
            MemorySegment end = arena.allocate(ValueLayout.ADDRESS);
            assertThat(ColdCalls.call(strtol, text, end, ColdCalls.word(16))).isEqualTo(-0x7f);
            assertThat(end.get(ValueLayout.ADDRESS, 0).address() - text.address())
                    .isEqualTo(3);
            assertThat(ColdCalls.number(strtol, text, end, ColdCalls.word(8))).isEqualTo(-7);
        }
        assertThat(ColdCalls.number(linker.defaultLookup().findOrThrow("abs"), ColdCalls.word(-5)))
                .isEqualTo(5);
    }

    @Test
    void errnoIsKept() {
        MemorySegment close = Linker.nativeLinker().defaultLookup().findOrThrow("close");
        assertThat(ColdCalls.number(close, ColdCalls.word(-1))).isEqualTo(-1);
        assertThat(ErrnoName.of(NativeCalls.lastErrno())).startsWith("EBADF");
    }

    @Test
    void moreWordsThanRegistersAreRefused() {
        assertThatThrownBy(() -> ColdCalls.call(MemorySegment.ofAddress(1), new MemorySegment[ColdCalls.WORDS + 1]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("7 arguments");
    }
}
