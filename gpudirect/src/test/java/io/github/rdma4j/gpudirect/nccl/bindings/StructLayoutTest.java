// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.bindings.CompilerFacts;
import io.github.rdma4j.cuda.bindings.GeneratedStruct;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Compares what jextract has generated, and the signatures that stand by hand, with nccl.h in native-headers. */
class StructLayoutTest {
    @Test
    void everythingMatchesTheCompiler() {
        CompilerFacts facts = new CompilerFacts()
                .folder(headers().resolve("include"))
                .line("#define RDMA4J_CHECK_SIGNATURES")
                .line("#include \"%s\"".formatted(headers().resolve("collectives.h")));
        GeneratedStruct.all(NcclHeaders.class).stream()
                .filter(each -> !each.name().startsWith("$anon"))
                .forEach(facts::struct);
        facts.line("_Static_assert(sizeof(ncclUniqueId) == %d, \"ncclUniqueId\");".formatted(ncclUniqueId.sizeof()));
        facts.line("_Static_assert(sizeof(ncclWaitSignalDesc_t) == %d, \"ncclWaitSignalDesc_t\");"
                .formatted(ncclWaitSignalDesc_t.sizeof()));
        facts.line("_Static_assert(offsetof(ncclWaitSignalDesc_t, sigIdx) == %d, \"sigIdx\");"
                .formatted(ncclWaitSignalDesc_t.sigIdx$offset()));
        GeneratedStruct.constants(NcclHeaders.class).forEach(facts::constant);
        assertThat(facts.differences()).isEmpty();
    }

    @Test
    void scanFindsStructsConstantsAndFunctions() {
        assertThat(GeneratedStruct.all(NcclHeaders.class))
                .extracting(GeneratedStruct::name)
                .contains("ncclConfig_v23000", "ncclSimInfo_v22200")
                .hasSize(4);
        assertThat(GeneratedStruct.functionTypes(NcclHeaders.class)).hasSize(45).contains("PFN_ncclAllReduce");
        assertThat(GeneratedStruct.constants(NcclHeaders.class))
                .containsEntry("ncclFloat8e5m2", 11)
                .containsEntry("NCCL_VERSION_CODE", 23007);
    }

    @Test
    void unboundFunctionsAreNamedOnThePage() throws IOException {
        // Each function has a twin for profilers.
        Set<String> functions = Pattern.compile("\\bp(nccl\\w+)\\(")
                .matcher(Files.readString(headers().resolve("include/nccl.h")))
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> bound = GeneratedStruct.functionTypes(NcclHeaders.class).stream()
                .map(type -> type.replace("PFN_", ""))
                .collect(Collectors.toSet());
        String page = Files.readString(headers().resolve("../../docs/nccl.md"));
        assertThat(page).containsPattern("\\b%d of %d\\s+functions".formatted(bound.size(), functions.size()));
        assertThat(functions).containsAll(bound);
        functions.removeAll(bound);
        assertThat(functions).filteredOn(each -> each.startsWith("ncclParam")).hasSize(13);
        assertThat(page).contains("thirteen of `ncclParam…`");
        assertThat(functions)
                .filteredOn(each -> !each.startsWith("ncclParam"))
                .allSatisfy(each -> assertThat(page).contains("`" + each + "`"));
    }

    private static Path headers() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("native-headers"))) {
            folder = folder.getParent();
        }
        return folder.resolve("native-headers/nccl");
    }
}
