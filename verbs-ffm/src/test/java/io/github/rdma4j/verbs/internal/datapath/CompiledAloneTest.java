// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.reflect.AccessFlag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompiledAloneTest {
    /** {@code FreqInlineSize} of HotSpot. */
    private static final int INLINED_UP_TO = 325;

    /** What it costs if it is not so: docs/architecture.md. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "internal.datapath.RxeSendRing",
                "internal.datapath.RxeReceiveRing",
                "internal.datapath.RxeCompletionRing#poll",
                "internal.datapath.Mlx5SendRing",
                "endpoint.VerbsWire"
            })
    void theCompilerPutsPostingAndPollingIntoNoCaller(String place) throws IOException {
        String type = place.split("#")[0];
        String hot = place.contains("#") ? place.split("#")[1] : "post";
        String name = "/io/github/rdma4j/verbs/%s.class".formatted(type.replace('.', '/'));
        try (InputStream file = CompiledAloneTest.class.getResourceAsStream(name)) {
            int length = ClassFile.of().parse(file.readAllBytes()).methods().stream()
                    .filter(method -> method.methodName().equalsString(hot)
                            && !method.flags().has(AccessFlag.BRIDGE))
                    .map(method -> (CodeAttribute) method.code().orElseThrow())
                    .mapToInt(CodeAttribute::codeLength)
                    .sum();
            assertThat(length).isGreaterThan(INLINED_UP_TO);
        }
    }
}
