// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Node;
import org.commonmark.parser.IncludeSourceSpans;
import org.commonmark.parser.Parser;

/**
 * A code block of a page.
 *
 * @param page relative to the project
 * @param line of the page
 * @param language after the fence; empty without one
 * @param text what it shows
 * @param source the file that it is from, or null
 * @param whole whether it is all of that file
 * @param given members of the class around a piece of Java, from the page's {@code given} comment
 */
record CodeBlock(Path page, int line, String language, String text, Path source, boolean whole, String given) {
    /** Stands right before a block. */
    private static final Pattern SOURCE = Pattern.compile("<!-- (from|all of) (\\S+) -->\\s*");
    /** Is for all blocks that follow on the page. */
    private static final Pattern GIVEN = Pattern.compile("<!-- given:\\s+(.*?)\\s*-->\\s*", Pattern.DOTALL);

    private static final Parser PARSER =
            Parser.builder().includeSourceSpans(IncludeSourceSpans.BLOCKS).build();

    static Stream<CodeBlock> all() {
        return Pages.all().stream().flatMap(page -> of(page).stream());
    }

    static Stream<CodeBlock> in(String... languages) {
        return all().filter(block -> List.of(languages).contains(block.language));
    }

    static List<CodeBlock> of(Path page) {
        List<CodeBlock> blocks = new ArrayList<>();
        PARSER.parse(Pages.text(page)).accept(new AbstractVisitor() {
            private String given = "";

            @Override
            public void visit(HtmlBlock comment) {
                Matcher matcher = GIVEN.matcher(comment.getLiteral());
                if (matcher.matches()) {
                    given = matcher.group(1);
                }
            }

            @Override
            public void visit(FencedCodeBlock block) {
                add(block, block.getInfo(), block.getLiteral());
            }

            @Override
            public void visit(IndentedCodeBlock block) {
                add(block, "", block.getLiteral());
            }

            private void add(Node block, String language, String text) {
                Matcher source = SOURCE.matcher(block.getPrevious() instanceof HtmlBlock html ? html.getLiteral() : "");
                boolean marked = source.matches();
                blocks.add(new CodeBlock(
                        Pages.root().relativize(page),
                        block.getSourceSpans().getFirst().getLineIndex() + 1,
                        language,
                        text,
                        marked ? Pages.root().resolve(source.group(2)) : null,
                        marked && source.group(1).equals("all of"),
                        given));
            }
        });
        return blocks;
    }

    @Override
    public String toString() {
        return page + ":" + line;
    }
}
