// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.CProgram;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The structures that mlx5dv_init_obj(3) fills, compared with the C compiler's. What it fills in is Mlx5Test's. */
class Mlx5ObjectsTest {
    private final List<String> ours = new ArrayList<>();
    private final List<String> inC = new ArrayList<>();

    private void compare(StructLayout structure) {
        String name = "struct " + structure.name().orElseThrow();
        add("sizeof(%s)".formatted(name), structure.byteSize());
        compareFields(name, "", structure, 0);
    }

    /** One of which the library reads the fields that it is told to: later versions have more behind them. */
    private void compareBeginning(StructLayout structure) {
        String name = "struct " + structure.name().orElseThrow();
        add("sizeof(%s) >= %d".formatted(name, structure.byteSize()), 1);
        compareFields(name, "", structure, 0);
    }

    private void compareFields(String structure, String prefix, StructLayout layout, long base) {
        for (MemoryLayout member : layout.memberLayouts()) {
            if (member.name().isEmpty()) {
                continue;
            }
            String field = member.name().get();
            long offset = base + layout.byteOffset(PathElement.groupElement(field));
            add("offsetof(%s, %s)".formatted(structure, prefix + field), offset);
            if (member instanceof StructLayout inner) {
                compareFields(structure, prefix + field + ".", inner, offset);
            } else {
                add("sizeof(((%s *)0)->%s)".formatted(structure, prefix + field), member.byteSize());
            }
        }
    }

    private void add(String c, long value) {
        inC.add("printf(\"%s %%lld\\n\", (long long)(%s));".formatted(c, c));
        ours.add(c + " " + value);
    }

    @Test
    void theStructuresAreThoseOfTheHeader() {
        compare(Mlx5Objects.QUEUE_PAIR);
        compare(Mlx5Objects.COMPLETION_QUEUE);
        compareBeginning(Mlx5Objects.OBJECTS);
        add("MLX5DV_OBJ_QP", Mlx5Objects.IS_QUEUE_PAIR);
        add("MLX5DV_OBJ_CQ", Mlx5Objects.IS_COMPLETION_QUEUE);
        assertThat(ours).containsExactlyElementsOf(CProgram.run("""
                #include <infiniband/mlx5dv.h>
                #include <stddef.h>
                #include <stdio.h>
                int main(void) {
                %s
                    return 0;
                }
                """.formatted(String.join("\n", inC))));
    }
}
