// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;

/** The project's Markdown pages, as a reader's browser sees them. */
final class Pages {
    private static final Parser PARSER = Parser.builder().build();
    /** Folders of builds and tools. */
    private static final List<String> NOT_OURS = List.of("target", ".git", "node_modules");

    private Pages() {}

    static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("native-headers"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    static List<Path> all() {
        try (Stream<Path> files = Files.walk(root())) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> Stream.of(root().relativize(file).toString().split("/"))
                            .noneMatch(NOT_OURS::contains))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where the links and images of a page lead, as they are written. */
    static List<String> destinations(Path page) {
        List<String> found = new ArrayList<>();
        PARSER.parse(text(page)).accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                found.add(link.getDestination());
                visitChildren(link);
            }

            @Override
            public void visit(Image image) {
                found.add(image.getDestination());
            }
        });
        return found;
    }

    /** The names by which links lead to the headings of a page. */
    static List<String> anchors(Path page) {
        List<String> found = new ArrayList<>();
        Map<String, Integer> seen = new HashMap<>();
        PARSER.parse(text(page)).accept(new AbstractVisitor() {
            @Override
            public void visit(Heading heading) {
                String anchor = plainText(heading)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-');
                int before = seen.merge(anchor, 1, Integer::sum) - 1;
                found.add(before == 0 ? anchor : anchor + "-" + before);
            }
        });
        return found;
    }

    /** The code within the lines of a page. */
    static List<String> codeInSentences(Path page) {
        List<String> found = new ArrayList<>();
        PARSER.parse(text(page)).accept(new AbstractVisitor() {
            @Override
            public void visit(Code code) {
                found.add(code.getLiteral());
            }
        });
        return found;
    }

    /** The code spans of the headings of a level. */
    static List<String> codeInHeadings(Path page, int level) {
        List<String> found = new ArrayList<>();
        PARSER.parse(text(page)).accept(new AbstractVisitor() {
            @Override
            public void visit(Heading heading) {
                if (heading.getLevel() == level) {
                    heading.accept(new AbstractVisitor() {
                        @Override
                        public void visit(Code code) {
                            found.add(code.getLiteral());
                        }
                    });
                }
            }
        });
        return found;
    }

    private static String plainText(Node node) {
        StringBuilder text = new StringBuilder();
        node.accept(new AbstractVisitor() {
            @Override
            public void visit(Text part) {
                text.append(part.getLiteral());
            }

            @Override
            public void visit(Code part) {
                text.append(part.getLiteral());
            }
        });
        return text.toString();
    }
}
