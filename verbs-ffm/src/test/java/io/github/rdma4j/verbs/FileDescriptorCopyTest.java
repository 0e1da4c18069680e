// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Copies of file descriptors, their owners, and their end. */
class FileDescriptorCopyTest {
    private static final int STANDARD_OUTPUT = 1;
    private static final String NOT_THERE = ". Check that the process is still there, and has that descriptor open";

    private static Path link(int descriptor) {
        return Path.of("/proc/self/fd", Integer.toString(descriptor));
    }

    private static boolean isOpen(int descriptor) {
        return Files.exists(link(descriptor), LinkOption.NOFOLLOW_LINKS);
    }

    @Test
    void copyStandsForTheSameFileAndIsClosedAlone() throws Exception {
        FileDescriptorCopy copy = FileDescriptorCopy.of(STANDARD_OUTPUT);
        int number = copy.number();
        assertThat(Files.readSymbolicLink(link(number))).isEqualTo(Files.readSymbolicLink(link(STANDARD_OUTPUT)));
        copy.close();
        copy.close();
        assertThat(isOpen(number)).isFalse();
        assertThat(isOpen(STANDARD_OUTPUT)).isTrue();
        assertThatThrownBy(copy::number).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void receiverClosesAPassedDescriptor() {
        FileDescriptorCopy copy = FileDescriptorCopy.of(STANDARD_OUTPUT);
        int given = copy.giveAway();
        copy.close();
        assertThat(isOpen(given)).isTrue();
        assertThatThrownBy(copy::giveAway).isInstanceOf(IllegalStateException.class);
        FileDescriptorCopy.adopt(given).close();
        assertThat(isOpen(given)).isFalse();
    }

    @Test
    void closedDescriptorCannotBeCopied() {
        assertThatThrownBy(() -> FileDescriptorCopy.of(100_000))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("EBADF");
        assertThatThrownBy(() -> FileDescriptorCopy.adopt(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void processThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> FileDescriptorCopy.ofProcess(999_999_999L, 1))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("pidfd_getfd(pid=999999999, fd=1)")
                .hasMessageEndingWith(NOT_THERE);
    }

    /** Not a matter of rights. */
    @Test
    void missingDescriptorOfTheOtherProcessIsReported() {
        assertThatThrownBy(() ->
                        FileDescriptorCopy.ofProcess(ProcessHandle.current().pid(), 100_000))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("EBADF")
                .hasMessageEndingWith(NOT_THERE);
    }
}
