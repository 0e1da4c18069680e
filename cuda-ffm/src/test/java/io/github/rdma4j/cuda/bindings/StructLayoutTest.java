// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.bindings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.cuda.bindings.GeneratedStruct.Extent;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares everything that jextract has generated with the installed headers, as the C compiler compiles them. */
class StructLayoutTest {
    @Test
    @Tag("cuda-headers")
    void everyStructMatchesTheCompiler() {
        CompilerFacts facts =
                new CompilerFacts().folder(InstalledCudaHeaders.folder()).line("#include <cuda.h>");
        GeneratedStruct.all().forEach(facts::struct);
        assertThat(facts.differences()).isEmpty();
    }

    @Test
    @Tag("cuda-headers")
    void everyConstantMatchesTheCompiler() {
        CompilerFacts facts =
                new CompilerFacts().folder(InstalledCudaHeaders.folder()).line("#include <cuda.h>");
        GeneratedStruct.constants().forEach((name, value) -> {
            // The end of an enum moves with later headers, and the version is theirs.
            if (!name.endsWith("_MAX") && !name.endsWith("_NUM_OPTIONS") && !name.equals("CUDA_VERSION")) {
                facts.constant(name, value);
            }
        });
        assertThat(facts.differences()).isEmpty();
    }

    @Test
    void scanFindsStructsConstantsAndFunctions() {
        assertThat(GeneratedStruct.all())
                .extracting(GeneratedStruct::name)
                .contains("CUuuid_st", "CUmemAllocationProp_st", "CUipcMemHandle_st")
                .doesNotHaveDuplicates();
        assertThat(GeneratedStruct.all())
                .filteredOn(GeneratedStruct::name, "CUmemAllocationProp_st")
                .singleElement()
                .satisfies(struct ->
                        assertThat(struct.fields()).containsKeys("location.id", "allocFlags.gpuDirectRDMACapable"));
        assertThat(GeneratedStruct.constants())
                .hasSizeGreaterThan(350)
                .containsEntry("CUDA_ERROR_UNKNOWN", 999)
                .containsEntry("CU_IPC_HANDLE_SIZE", 64);
        assertThat(GeneratedStruct.functionTypes()).hasSizeGreaterThan(90).contains("PFN_cuMemAlloc_v3020");
    }

    @Test
    void wrongSizeAlignmentOffsetFieldOrValueIsReported() {
        Map<String, Extent> fields = Map.of("quot", new Extent(0, 4), "rem", new Extent(8, 4));
        assertThat(new CompilerFacts()
                        .line("#include <stdlib.h>")
                        .line("struct div { int quot, rem; };")
                        .struct(new GeneratedStruct("div", 12, 8, fields))
                        .constant("RAND_MAX", 1)
                        .constant("EXIT_FAILURE", 1)
                        .differences())
                .containsExactlyInAnyOrder(
                        "struct div is not of 12 bytes",
                        "struct div is aligned otherwise",
                        "struct div, rem lies elsewhere",
                        "RAND_MAX is not 1");
    }

    @Test
    void compilerErrorIsNoAnswer() {
        assertThatThrownBy(() -> new CompilerFacts().constant("NO_SUCH_NAME", 1).differences())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("NO_SUCH_NAME");
        assertThatThrownBy(
                        () -> new CompilerFacts().line("#include <no/such.h>").differences())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("no/such.h");
    }
}
