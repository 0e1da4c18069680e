// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.Project;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the pages on verbs show compiles: each piece of code in a class with the objects that the page has told of. An
 * ellipsis stands for the reader's own code.
 */
class GuideProgramsTest {
    private static final Pattern PIECE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    /** What a reader of the pages has at hand. */
    private static final String SCENE = """
            import static io.github.rdma4j.verbs.AccessFlag.*;
            import static io.github.rdma4j.verbs.QueuePairState.*;
            import static io.github.rdma4j.verbs.SendFlags.*;

            import io.github.rdma4j.verbs.*;
            import io.github.rdma4j.verbs.cm.*;
            import io.github.rdma4j.verbs.device.*;
            import io.github.rdma4j.verbs.endpoint.*;
            import io.github.rdma4j.verbs.flow.*;
            import io.github.rdma4j.verbs.pool.*;
            import java.lang.foreign.*;
            import java.net.*;
            import java.time.*;
            import java.util.*;

            abstract class Piece%d {
                DeviceContext device, context;
                ProtectionDomain domain, pd;
                CompletionQueue queue;
                CompletionChannel channel;
                QueuePair queuePair;
                QueuePairEndpoint theirs;
                MemoryRegion region, mr, room;
                MemorySegment segment;
                MemorySlice payload, question;
                RemoteMemory remote;
                WorkCompletion completion;
                GidEntry gid;
                Gid peerGid;
                int peerNumber, peerPacketSequenceNumber, queueKey;
                long id, address, sequence;
                byte[] greeting;
                Inet4Address network;

                abstract void handle(Object... what);
                abstract void log(Object what);
                abstract void drain(Object what);
                abstract void started(ConnectionId id);
                abstract boolean running();

            %s
            }
            """;

    private static List<String> pieces(Path page) throws IOException {
        return PIECE.matcher(Files.readString(page))
                .results()
                .map(result -> result.group(1))
                .toList();
    }

    private static String member(String piece) {
        String code = piece.replaceAll("(?m)\\{ (\\.\\.\\.|…) }", "{}")
                .replaceAll("(?m)^ *(\\.\\.\\.|…)$", "")
                .replaceAll("(\\.\\.\\.|…) (batch.error\\(\\)) (\\.\\.\\.|…)", "$2;");
        return code.startsWith("void ") ? code : "void piece() throws Exception {\n" + code + "}";
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "queue-pairs", "completions", "connections", "devices"})
    void whatThePageShowsCompiles(String page, @TempDir Path classes) throws Exception {
        List<String> pieces = pieces(Project.page(page + ".md"));
        assertThat(pieces).hasSizeGreaterThan(2);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<JavaFileObject> sources = new ArrayList<>();
            for (int i = 0; i < pieces.size(); i++) {
                sources.add(source(i, SCENE.formatted(i, member(pieces.get(i)))));
            }
            boolean compiled = compiler.getTask(
                            complaints,
                            files,
                            null,
                            List.of("-d", classes.toString(), "-cp", System.getProperty("java.class.path")),
                            null,
                            sources)
                    .call();
            assertThat(compiled).as(complaints.toString()).isTrue();
        }
    }

    private static JavaFileObject source(int number, String text) {
        return new SimpleJavaFileObject(URI.create("memory:///Piece" + number + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }
}
