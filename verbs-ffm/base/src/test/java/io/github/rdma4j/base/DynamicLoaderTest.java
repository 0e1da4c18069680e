// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Linker;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DynamicLoaderTest {
    private static String message(String file) {
        return DynamicLoader.message(Linker.nativeLinker()::downcallHandle, file);
    }

    @Test
    void loaderMessageGivesTheReason(@TempDir Path folder) throws IOException {
        assertThat(message("libno-such.so.1"))
                .isEqualTo("libno-such.so.1: cannot open shared object file: No such file or directory");
        Path text =
                Files.writeString(folder.resolve("libtext.so"), "not a library, but longer than a header\n".repeat(9));
        assertThat(message(text.toString())).isEqualTo(text + ": invalid ELF header");
        String longest = "/" + "x".repeat(9000);
        assertThat(message(longest)).hasSize(4095).startsWith("/xxx");
    }

    @Test
    void libraryThatOpensAfterAllHasNoMessage() {
        assertThat(message("libc.so.6")).isEqualTo("libc.so.6 cannot be opened");
    }
}
