// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.reflect.AccessFlag;
import org.junit.jupiter.api.Test;

class CompiledAloneTest {
    /** {@code FreqInlineSize} of HotSpot. */
    private static final int INLINED_UP_TO = 325;

    /** docs/architecture.md gives the cost of inlining it. */
    @Test
    void postIsTooLongToBeInlined() throws IOException {
        try (InputStream file = CompiledAloneTest.class.getResourceAsStream(
                "/io/github/rdma4j/verbs/internal/endpoint/rdma/VerbsWire.class")) {
            int length = ClassFile.of().parse(file.readAllBytes()).methods().stream()
                    .filter(method -> method.methodName().equalsString("post")
                            && !method.flags().has(AccessFlag.BRIDGE))
                    .map(method -> (CodeAttribute) method.code().orElseThrow())
                    .mapToInt(CodeAttribute::codeLength)
                    .sum();
            assertThat(length).isGreaterThan(INLINED_UP_TO);
        }
    }
}
