// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.cuda.bindings.CompilerFacts;
import io.github.rdma4j.cuda.bindings.GeneratedStruct;
import io.github.rdma4j.cuda.bindings.InstalledCudaHeaders;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Holds the stand-in's declarations to the bindings, on every machine, and its functions to cuda.h, where that is. The
 * bindings are held to cuda.h by StructLayoutTest: so a number of the stand-in is cuda.h's.
 */
class StandInAbiTest {
    private static final Pattern CONSTANT = Pattern.compile("\\b(CU[A-Z]*_[A-Z0-9_]+) = |E\\((CUDA_[A-Z0-9_]+),");
    private static final Pattern FUNCTION = Pattern.compile("(?m)^F\\((\\w+), (\\d+), (\\w+)\\)$");
    private static final Path SOURCE = StandInBuild.source();

    @Test
    void everyStructIsThatOfTheBindings() {
        CompilerFacts facts = new CompilerFacts().folder(SOURCE).line("#include \"types.h\"");
        GeneratedStruct.all().forEach(facts::struct);
        assertThat(facts.differences()).isEmpty();
    }

    @Test
    void everyConstantIsThatOfTheBindings() throws IOException {
        SortedSet<String> names = new TreeSet<>();
        for (String file : List.of("types.h", "errors.def")) {
            CONSTANT.matcher(read(file))
                    .results()
                    .forEach(match -> names.add(match.group(1) != null ? match.group(1) : match.group(2)));
        }
        Map<String, Number> constants = GeneratedStruct.constants();
        assertThat(names).hasSizeGreaterThan(200).contains("CUDA_SUCCESS", "CU_STREAM_WAIT_VALUE_NOR");
        assertThat(constants.keySet()).containsAll(names);
        CompilerFacts facts = new CompilerFacts().folder(SOURCE).line("#include \"types.h\"");
        names.forEach(name -> facts.constant(name, constants.get(name)));
        assertThat(facts.differences()).isEmpty();
    }

    @Test
    void everyFunctionOfTheBindingsIsThereInTheSameVersionAndHasItsSymbol() throws IOException {
        List<MatchResult> functions = functions();
        assertThat(functions)
                .extracting(function -> "PFN_%s_v%s".formatted(function.group(1), function.group(2)))
                .doesNotHaveDuplicates()
                .containsAll(GeneratedStruct.functionTypes());
        SymbolLookup library = SymbolLookup.libraryLookup(StandInDriver.library(), Arena.ofAuto());
        assertThat(functions)
                .extracting(function -> function.group(3))
                .allSatisfy(symbol -> assertThat(library.find(symbol)).isPresent());
    }

    @Test
    void symbolCanBeLeftOut() {
        SymbolLookup older = SymbolLookup.libraryLookup(StandInBuild.library("cuGetProcAddress_v2"), Arena.ofAuto());
        assertThat(older.find("cuGetProcAddress_v2")).isEmpty();
        assertThat(older.find("cuGetProcAddress")).isPresent();
    }

    @Test
    @Tag("cuda-headers")
    void everyFunctionIsThatOfTheHeader() throws IOException {
        CompilerFacts facts = header().folder(SOURCE).line("#include \"functions.h\"");
        for (MatchResult function : functions()) {
            facts.that(
                    "__builtin_types_compatible_p(PFN_%s_v%s, __typeof__(&%s))"
                            .formatted(function.group(1), function.group(2), function.group(3)),
                    function.group(3) + " is no PFN_%s_v%s".formatted(function.group(1), function.group(2)));
        }
        assertThat(facts.differences()).isEmpty();
    }

    @Test
    @Tag("cuda-headers")
    void wrongFunctionIsNoticed(@TempDir Path folder) throws IOException {
        String right = "cuMemAlloc_v2(CUdeviceptr *, size_t)";
        assertThat(read("functions.h")).contains(right);
        Files.writeString(
                folder.resolve("functions.h"), read("functions.h").replace(right, "cuMemAlloc_v2(CUdeviceptr *, int)"));
        assertThatThrownBy(() ->
                        header().folder(folder).line("#include \"functions.h\"").differences())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("conflicting types for")
                .hasMessageContaining("cuMemAlloc_v2");
        assertThat(header().that(
                                "__builtin_types_compatible_p(PFN_cuMemAlloc_v3020, __typeof__(&cuMemFree_v2))",
                                "another type")
                        .differences())
                .containsExactly("another type");
    }

    /** cuda.h with the symbols of all versions, each by its own name. */
    private static CompilerFacts header() {
        return new CompilerFacts()
                .folder(InstalledCudaHeaders.folder())
                .line("#define __CUDA_API_VERSION_INTERNAL")
                .line("#include <cuda.h>")
                .line("#include <cudaTypedefs.h>");
    }

    /** The symbol of each function in each version, such as {@code cuMemAlloc_v3020}. */
    static Map<String, String> symbols() {
        try {
            return functions().stream()
                    .collect(Collectors.toMap(
                            function -> "%s_v%s".formatted(function.group(1), function.group(2)),
                            function -> function.group(3)));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static List<MatchResult> functions() throws IOException {
        return FUNCTION.matcher(read("functions.def")).results().toList();
    }

    private static String read(String file) throws IOException {
        return Files.readString(SOURCE.resolve(file));
    }
}
