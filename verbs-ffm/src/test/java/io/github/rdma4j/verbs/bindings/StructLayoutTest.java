// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.bindings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.github.rdma4j.verbs.bindings.TypeFacts.Extent;
import io.github.rdma4j.verbs.bindings.TypeFacts.Growth;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Compares everything that jextract has generated with the installed headers, as this machine's C compiler and one for
 * aarch64 compile them. The types, fields and constants are found automatically.
 */
class StructLayoutTest {

    private static final List<String> HEADERS = List.of("infiniband/verbs.h", "infiniband/efadv.h", "rdma/rdma_cma.h");

    /**
     * Structs that have grown since rdma-core 44. The growth does not move older fields, relative to the address that
     * is used.
     */
    private static final Map<String, Growth> GROWN_SINCE = Map.of(
            "efadv_cq", Growth.AT_THE_END, // 52: wc_is_unsolicited
            "efadv_cq_init_attr", Growth.AT_THE_END, // 59: ext_mem_dmabuf
            "efadv_qp_init_attr", Growth.AT_THE_END, // 64: wr_flags
            "ibv_qp_ex", Growth.AT_THE_END, // 45: wr_flush
            "ibv_port_attr", Growth.AT_THE_END, // 50: active_speed_ex
            "verbs_context", Growth.AT_THE_BEGINNING); // 59 and later: new operations stand before the old

    /** Structs with fields behind a mutex, or with a member that contains one. */
    private static final List<String> DIFFERENT_ON_AARCH64 = List.of(
            "ibv_context",
            "ibv_cq",
            "ibv_cq_ex",
            "ibv_qp",
            "ibv_qp_ex",
            "ibv_srq",
            "ibv_wq",
            "pthread_mutex_t",
            "verbs_context");

    private static List<TypeFacts> generated;
    private static List<TypeFacts> generatedForAarch64;
    private static SortedMap<String, Number> constants;
    private static CHeaders c;
    private static CHeaders cOfAarch64;

    @BeforeAll
    static void askTheCompilers() throws IOException {
        generated = GeneratedTypes.structs();
        generatedForAarch64 = GeneratedTypes.structsOn("aarch64");
        constants = GeneratedTypes.constants();
        c = CHeaders.ask("cc", HEADERS, generated, constants.keySet());
        cOfAarch64 = CHeaders.ask("aarch64-linux-gnu-gcc", HEADERS, generatedForAarch64, constants.keySet());
    }

    @TestFactory
    Stream<DynamicTest> everyStructMatchesTheCompiler() {
        return comparisons(generated, c);
    }

    @TestFactory
    Stream<DynamicTest> everyStructMatchesTheCompilerOnAarch64() {
        return comparisons(generatedForAarch64, cOfAarch64);
    }

    private static Stream<DynamicTest> comparisons(List<TypeFacts> types, CHeaders headers) {
        return types.stream()
                .map(type -> dynamicTest(
                        type.title(),
                        () -> assertThat(type.differencesFrom(
                                        headers.type(type), GROWN_SINCE.getOrDefault(type.title(), Growth.NONE)))
                                .isEmpty()));
    }

    /** Checks that the comparison above covers different layouts, and that docs/compatibility.md is right. */
    @Test
    void layoutsThatDifferOnAarch64() throws IOException {
        List<TypeFacts> onX86 = GeneratedTypes.structsOn("amd64");
        assertThat(generatedForAarch64)
                .filteredOn(type -> !onX86.contains(type))
                .extracting(TypeFacts::title)
                .containsExactlyInAnyOrderElementsOf(DIFFERENT_ON_AARCH64);
        assertThat(offsetOfAbiCompat(onX86)).isEqualTo(320);
        assertThat(offsetOfAbiCompat(generatedForAarch64)).isEqualTo(328);
    }

    private static long offsetOfAbiCompat(List<TypeFacts> types) {
        return types.stream()
                .filter(type -> type.title().equals("ibv_context"))
                .findFirst()
                .orElseThrow()
                .fields()
                .get("abi_compat")
                .offset();
    }

    @Test
    void everyConstantIsWhatTheCompilersSay() {
        assertThat(constantsThatDiffer(c)).isEmpty();
        assertThat(constantsThatDiffer(cOfAarch64)).isEmpty();
    }

    private static List<String> constantsThatDiffer(CHeaders headers) {
        List<String> differences = new ArrayList<>();
        constants.forEach((name, value) -> {
            long theirs = headers.constant(name);
            // A C value with bit 31 set is a negative int in Java: what counts is the same bits.
            boolean sameBits = value instanceof Integer bits && Integer.toUnsignedLong(bits) == theirs;
            if (value.longValue() != theirs && !sameBits) {
                differences.add("%s: the bindings have %d, the C compiler %d".formatted(name, value, theirs));
            }
        });
        return differences;
    }

    @Test
    void scanFindsStructsUnionsTypedefsAndNestedTypes() {
        assertThat(generated)
                .extracting(TypeFacts::title)
                .hasSizeGreaterThan(80)
                .doesNotHaveDuplicates()
                .contains("ibv_context", "ibv_gid", "pthread_mutex_t", "ibv_send_wr.wr.rdma", "rdma_cm_event.param");
        assertThat(generated)
                .filteredOn(TypeFacts::title, "ibv_send_wr")
                .singleElement()
                .satisfies(type -> assertThat(type.fields())
                        .containsKeys("wr_id", "imm_data", "invalidate_rkey", "wr", "bind_mw", "tso"));
        assertThat(constants)
                .hasSizeGreaterThan(400)
                .containsEntry("IBV_QPS_RTS", 3)
                .containsKey("RDMA_PS_TCP");
    }

    @Test
    void wrongSizeAlignmentOffsetOrFieldIsReported() {
        TypeFacts ours = facts(24, 8, Map.of("a", new Extent(0, 8), "b", new Extent(8, 4), "c", new Extent(16, 8)));
        TypeFacts theirs = facts(32, 4, Map.of("a", new Extent(0, 8), "b", new Extent(12, 4)));

        assertThat(ours.differencesFrom(ours, Growth.NONE)).isEmpty();
        assertThat(ours.differencesFrom(theirs, Growth.NONE))
                .containsExactly(
                        "t, size: the bindings have 24, the C compiler 32",
                        "t, alignment: the bindings have 8, the C compiler 4",
                        "t, b: the bindings have Extent[offset=8, size=4], the C compiler Extent[offset=12, size=4]",
                        "t, c: the bindings have Extent[offset=16, size=8], the C compiler null");
    }

    @Test
    void growthIsAllowedOnlyInItsPlaceAndNeverAsShrinking() {
        TypeFacts ours = facts(8, 4, Map.of("a", new Extent(0, 4), "b", new Extent(4, 4)));
        TypeFacts longer = facts(12, 4, Map.of("a", new Extent(0, 4), "b", new Extent(4, 4)));
        TypeFacts shifted = facts(12, 4, Map.of("a", new Extent(4, 4), "b", new Extent(8, 4)));

        assertThat(ours.differencesFrom(longer, Growth.AT_THE_END)).isEmpty();
        assertThat(ours.differencesFrom(shifted, Growth.AT_THE_BEGINNING)).isEmpty();
        assertThat(ours.differencesFrom(longer, Growth.NONE)).hasSize(1);
        assertThat(ours.differencesFrom(shifted, Growth.AT_THE_END)).hasSize(2);
        assertThat(ours.differencesFrom(longer, Growth.AT_THE_BEGINNING)).hasSize(2);
        assertThat(longer.differencesFrom(ours, Growth.AT_THE_END)).hasSize(1);
    }

    @Test
    void compilersAnswersAreRead() {
        TypeFacts asked = new TypeFacts("div", "div_t", 0, 0, extents(Map.of("rem", new Extent(0, 0))));

        CHeaders stdlib = CHeaders.ask("cc", List.of("stdlib.h"), List.of(asked), List.of("RAND_MAX"));

        assertThat(stdlib.type(asked))
                .isEqualTo(new TypeFacts("div", "div_t", 8, 4, extents(Map.of("rem", new Extent(4, 4)))));
        assertThat(stdlib.constant("RAND_MAX")).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void missingCompilerOrHeaderNamesThePackages() {
        assertThatThrownBy(() -> CHeaders.ask("no-such-compiler", HEADERS, List.of(), List.of()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll(
                        "no-such-compiler", "gcc", "gcc-aarch64-linux-gnu", "libibverbs-dev", "librdmacm-dev");
        assertThatThrownBy(() -> CHeaders.ask("cc", List.of("no/such/header.h"), List.of(), List.of()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("no/such/header.h", "gcc", "libibverbs-dev", "librdmacm-dev");
    }

    private static TypeFacts facts(long size, long alignment, Map<String, Extent> fields) {
        return new TypeFacts("t", "struct t", size, alignment, extents(fields));
    }

    private static SortedMap<String, Extent> extents(Map<String, Extent> fields) {
        return new TreeMap<>(fields);
    }
}
