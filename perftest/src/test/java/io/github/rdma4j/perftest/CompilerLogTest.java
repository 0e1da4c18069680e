// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompilerLogTest {
    private static final String LOG = """
            <task compile_id='7' method='a.Loop run (J)V' bytes='9' level='3' stamp='0.1'>
            <klass id='1' name='a.Other'/>
            <method id='2' holder='1' name='cold'/>
            <call method='2' count='1'/>
            <inline_fail reason='callee is too large'/>
            </task>
            <task compile_id='8' method='a.Loop run (J)V' bytes='9' stamp='0.2'>
            <klass id='1' name='a.Other' flags='1'/>
            <method id='2' holder='1' name='post' return='3'/>
            <method id='4' holder='1' name='poll' return='3'/>
            <call method='2' count='1000' prof_factor='1.0' inline='1'/>
            <inline_success reason='inline (hot)'/>
            <parse method='2' uses='1000'>
            <call method='4' count='1000' prof_factor='1.0' inline='1'/>
            <inline_fail reason='NodeCountInliningCutoff'/>
            </parse>
            </task>
            <task compile_id='9' method='a.Loop runs (J)V' bytes='9' stamp='0.3'>
            <inline_fail reason='of another method'/>
            </task>
            <task compile_id='10' compile_kind='osr' method='a.Loop run (J)V' bytes='9' stamp='0.4'>
            <inline_fail reason='of a compilation that did not end'/>
            """;

    @TempDir
    Path folder;

    @Test
    void secondCompilersCompilationsOfOneMethodThatEnded() throws IOException {
        Path file = Files.writeString(folder.resolve("log"), LOG);

        assertThat(CompilerLog.of(file, "a.Loop", "run"))
                .containsExactly(new CompilerLog(
                        List.of("a.Other::post"),
                        List.of(new CompilerLog.Refusal("a.Other::poll", "NodeCountInliningCutoff"))));
        assertThat(CompilerLog.of(file, "a.Other", "run")).isEmpty();
    }
}
