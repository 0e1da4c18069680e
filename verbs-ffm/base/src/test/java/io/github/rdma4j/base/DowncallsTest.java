// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Linker;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DowncallsTest {
    private static String loaderMessage(String file) {
        return Downcalls.loaderMessage(Linker.nativeLinker()::downcallHandle, file);
    }

    @Test
    void loaderMessageGivesTheReason(@TempDir Path folder) throws IOException {
        assertThat(loaderMessage("libno-such.so.1"))
                .isEqualTo("libno-such.so.1: cannot open shared object file: No such file or directory");
        Path text =
                Files.writeString(folder.resolve("libtext.so"), "not a library, but longer than a header\n".repeat(9));
        assertThat(loaderMessage(text.toString())).isEqualTo(text + ": invalid ELF header");
        String longest = "/" + "x".repeat(9000);
        assertThat(loaderMessage(longest)).hasSize(4095).startsWith("/xxx");
    }

    @Test
    void libraryThatOpensAfterAllHasNoMessage() {
        assertThat(loaderMessage("libc.so.6")).isEqualTo("libc.so.6 cannot be opened");
    }

    @Test
    void unexpectedRethrowsErrorsAndRuntimeExceptions() {
        StackOverflowError error = new StackOverflowError();
        assertThatThrownBy(() -> Downcalls.unexpected(error)).isSameAs(error);
        IllegalStateException exception = new IllegalStateException();
        assertThatThrownBy(() -> Downcalls.unexpected(exception)).isSameAs(exception);
        IOException impossible = new IOException();
        assertThat(Downcalls.unexpected(impossible)).hasCause(impossible);
    }
}
