// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.bindings.CompilerFacts;
import io.github.rdma4j.cuda.bindings.GeneratedStruct;
import io.github.rdma4j.cuda.bindings.InstalledCudaHeaders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares what jextract has generated, and the signatures that stand by hand, with cufile.h where that is. */
class StructLayoutTest {
    @Test
    @Tag("cufile-headers")
    void everythingMatchesTheCompiler() {
        CompilerFacts facts = new CompilerFacts()
                .folder(cufile())
                .folder(InstalledCudaHeaders.folder())
                .line("#define RDMA4J_CHECK_SIGNATURES")
                .line("#include \"%s\"".formatted(umbrella()));
        GeneratedStruct.all(CuFileHeaders.class).forEach(facts::struct);
        GeneratedStruct.constants(CuFileHeaders.class).forEach(facts::constant);
        assertThat(facts.differences()).isEmpty();
    }

    /** docs/gpudirect-storage.md counts and names them. */
    @Test
    @Tag("cufile-headers")
    void unboundFunctionsAreParametersStatisticsAndTheSizeOfBar1() throws IOException {
        Set<String> functions = Pattern.compile("(?m)^(?!.*#define).*?\\b(cuFile\\w+) *\\(")
                .matcher(Files.readString(cufile().resolve("cufile.h")))
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(functions).hasSize(42);
        GeneratedStruct.functionTypes(CuFileHeaders.class)
                .forEach(type -> functions.remove(type.replace("PFN_", "").replace("_v2", "")));
        assertThat(functions)
                .hasSize(19)
                .allMatch(each -> each.matches("cuFile.*(Parameter|Stats|BARSize|UseCount).*"));
    }

    @Test
    void scanFindsStructsConstantsAndFunctions() {
        assertThat(GeneratedStruct.all(CuFileHeaders.class))
                .extracting(GeneratedStruct::name)
                .containsExactlyInAnyOrder(
                        "CUfileError",
                        "CUfileDrvProps",
                        "CUfileDescr_t",
                        "CUfileIOParams",
                        "CUfileIOEvents",
                        "timespec");
        assertThat(GeneratedStruct.functionTypes(CuFileHeaders.class))
                .hasSize(23)
                .contains("PFN_cuFileRead");
        assertThat(GeneratedStruct.constants(CuFileHeaders.class))
                .containsEntry("CU_FILE_IO_NOT_SUPPORTED", 5008)
                .containsEntry("CU_FILE_IO_MAX_ERROR", 5050);
    }

    /** The header is beside cuda.h, if it is there at all: toolkits leave cuFile out. */
    private static Path cufile() {
        Path folder = Path.of(System.getProperty(
                "rdma4j.cufile.include", InstalledCudaHeaders.folder().toString()));
        assertThat(folder.resolve("cufile.h"))
                .as("leave out the tests tagged cufile-headers, or -Drdma4j.cufile.include=FOLDER")
                .exists();
        return folder;
    }

    private static Path umbrella() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("native-headers"))) {
            folder = folder.getParent();
        }
        return folder.resolve("native-headers/cufile/storage.h");
    }
}
