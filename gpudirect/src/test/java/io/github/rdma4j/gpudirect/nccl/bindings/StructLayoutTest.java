// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.bindings.CompilerFacts;
import io.github.rdma4j.cuda.bindings.GeneratedStruct;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Compares what jextract has generated, and the signatures that stand by hand, with nccl.h in native-headers. */
class StructLayoutTest {
    @Test
    void everythingIsWhatTheCompilerSays() {
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
    void theScanFindsStructsConstantsAndFunctions() {
        assertThat(GeneratedStruct.all(NcclHeaders.class))
                .extracting(GeneratedStruct::name)
                .contains("ncclConfig_v23000", "ncclSimInfo_v22200")
                .hasSize(4);
        assertThat(GeneratedStruct.functionTypes(NcclHeaders.class)).hasSize(45).contains("PFN_ncclAllReduce");
        assertThat(GeneratedStruct.constants(NcclHeaders.class))
                .containsEntry("ncclFloat8e5m2", 11)
                .containsEntry("NCCL_VERSION_CODE", 23007);
    }

    private static Path headers() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("native-headers"))) {
            folder = folder.getParent();
        }
        return folder.resolve("native-headers/nccl");
    }
}
