// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Layouts and constants must be there on a machine without libibverbs: so they may not open it. */
class TypesWithoutLibrariesTest {

    @Test
    void layoutsAndConstantsOpenNoLibrary() throws Exception {
        // A JVM of its own, since any other test of this one may have opened the library before.
        List<String> output = ChildJvm.run(TouchEverything.class);

        assertThat(output).last().asString().matches("[1-9][0-9]+ structs, [1-9][0-9]+ constants");
        assertThat(output).noneMatch(line -> line.contains("libibverbs") || line.contains("librdmacm"));
    }

    /** Uses all structs and constants, and prints the libraries that are open then. */
    static final class TouchEverything {
        private TouchEverything() {}

        public static void main(String[] args) throws IOException {
            int structs = GeneratedTypes.structs().size();
            int constants = GeneratedTypes.constants().size();
            Files.readAllLines(Path.of("/proc/self/maps")).stream()
                    .filter(line -> line.contains(".so"))
                    .forEach(System.out::println);
            System.out.printf("%d structs, %d constants%n", structs, constants);
        }
    }
}
