// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Finds the constructions that STYLE.md rules out, in pages, in comments and string literals of Java and C, in names of
 * test methods, and in scripts. Uses only the JDK, so that {@code java Prose.java [FOLDER|FILE...]} lists the hits
 * without a build.
 */
final class Prose {
    private Prose() {}

    /**
     * A construction that STYLE.md rules out.
     *
     * @param words a regular expression; a space in it matches any white space
     * @param better what to write instead
     */
    private record Rule(Pattern words, String better) {
        Rule(String words, String better) {
            this(Pattern.compile(words.replaceAll(" (?![?*+{])", "\\\\s+")), better);
        }
    }

    /**
     * Words that a rule finds although they are right. Add only what no better sentence can avoid.
     *
     * @param words are found in the hit with forty characters on either side
     * @param reason why they are right
     */
    record Excuse(Pattern words, String reason) {
        Excuse(String words, String reason) {
            this(Pattern.compile(words), reason);
        }
    }

    static final List<Excuse> EXCUSES = List.of(
            new Excuse("\\b[Tt]ell(?:s|ing)?\\b.{0,40}\\bapart\\b", "to tell things apart is to distinguish them"),
            new Excuse("^(?:.*visitors before: 0)?\\s*goodbye\\s*$", "the message that an example sends"));

    record Hit(String file, int line, String words, String better, String around) {
        @Override
        public String toString() {
            return "%s:%d: '%s' (%s): … %s …".formatted(file, line, words, better, around);
        }
    }

    /** Text at its place in a file: all else of the file is blank, so that offsets are the file's. */
    private record Piece(int start, String text) {}

    private static final String START_OF_SENTENCE =
            "(?<=\\A[\\s*#]{0,40}|[.!?;:|>][\\s*#]{0,40}|\\n[ *#]{0,40}\\n[ *#>-]{0,40})";
    private static final String END_OF_SENTENCE = "(?=\\s*(?:[.,;:)]|\\z))";

    private static final List<Rule> RULES = List.of(
            new Rule("\\b[Tt](?:old|ell|ells|elling)\\b", "return, report, say, show"),
            new Rule("\\b(?:is|are|was|were|be) said\\b", "say who reports it"),
            new Rule("\\b(?:hears?|heard)\\b", "receive, be notified"),
            new Rule("\\bknows? (?:of|nothing)\\b", "has, supports, does not depend on"),
            new Rule(
                    "\\b(?=[Ww]ho)" + START_OF_SENTENCE + "[Ww]ho(?:ever)? (?![^.;|]*\\?)[a-z]+",
                    "start with the subject: a caller that …"),
            new Rule("\\bwhom\\b", "start with the subject"),
            new Rule(
                    "\\b(?=What)" + START_OF_SENTENCE
                            + "What (?![^.;|]*\\?)(?:\\w+ ){1,9}?(?:is|are|may|must|can|tells?|stays?|goes|comes?)\\b",
                    "start with the subject: data that …"),
            new Rule(
                    "\\bWhether\\b[^.?!]* (?:decides?|depends|matters|does not matter|is (?:un)?known)\\b",
                    "start with the subject: X says whether"),
            new Rule("\\b(?:[Tt]hat|[Tt]hose) of\\b(?! you\\b)", "repeat the noun"),
            new Rule("\\bas (?:that|those) (?:in|with|on|for|by)\\b", "repeat the noun"),
            new Rule("\\b[Ss]hall\\b", "present tense or imperative"),
            new Rule("\\b(?:is|are|was|were) (?:not )?to be\\b", "must, or imperative"),
            new Rule("\\b[Ii]n (?:the )?place of\\b", "instead of"),
            new Rule("\\b[Mm]end(?:s|ed|ing)?\\b", "fix"),
            new Rule("\\b[Nn]ews\\b", "event, message"),
            new Rule("\\b[Gg]ood-?byes?\\b", "close message"),
            new Rule("\\b[Gg]reetings?\\b", "handshake"),
            new Rule(
                    "\\b[Ll]ook(?:s|ed|ing)? (?:again )?(?:for (?:a |an |the )?(?:completion|message|event|answer|as long)|until)\\w*",
                    "poll, spin"),
            new Rule(
                    "\\b(?:adapter|GPU|device|hardware|machine|kernel)s?\\b[^.|;]{0,30} ha(?:s|ve) (?:run|met|seen)\\b",
                    "software runs on hardware"),
            new Rule("\\bof late\\b", "recently"),
            new Rule("\\bby (?:itself|themselves)\\b", "automatically, alone"),
            new Rule(",?\\s+too\\b" + END_OF_SENTENCE, "'also' next to the verb"),
            new Rule(
                    "\\b(?:[Aa]ll|[Nn]one|[Nn]othing|[Nn]o one|[Nn]obody|[Aa]nything|[Ee]verything) but\\b",
                    "except, only"),
            new Rule("\\bbut for\\b", "except"),
            new Rule("\\b(?:has|have|had) (?:not )?got\\b", "has, has received"),
            new Rule("\\banew\\b", "again, a new …"),
            new Rule("\\bfor want of\\b", "without, because … is missing"),
            new Rule("\\b(?:comes?|came) of\\b", "is caused by"));

    private static final Pattern TEST_METHOD = Pattern.compile(
            "(?s)@(?:Test|ParameterizedTest|TestFactory)\\b(?:(?!@Test\\b).)*?\\b(?:void|Stream<\\w+>) (\\w+)\\(");
    private static final Pattern ODD_NAME = Pattern.compile(
            "^(?:who|what|whether|nobody|noOne|these|those|there|a|an|the)(?:m|se|ever)?(?=[A-Z]).*"
                    + "|.*(?:Told|Tells?|Says|Said|Hears?|Heard|Knows|Rooms?|Mend(?:s|ed)?|Anew|Shall|News|Whom|Whoever)(?![a-z]).*");

    private static final Set<String> NOT_OURS = Set.of("target", ".git", "node_modules", "generated");

    /** Only the names in them are checked: they contain samples of wrong prose. */
    private static final Pattern NAMES_ONLY = Pattern.compile("/documentation/Prose(?:Test)?\\.java$");

    /** The folders of the project, each checked separately; the innermost one that contains a file is its area. */
    static String area(String file) {
        int sources = file.indexOf("/src/");
        if (sources > 0) {
            return file.substring(0, sources);
        }
        return file.contains("/") ? file.substring(0, file.indexOf('/')) : ".";
    }

    /** The hits in the files of a folder or in one file. */
    static List<Hit> hits(Path root, Path start) {
        Set<Path> files = new TreeSet<>();
        try {
            Files.walkFileTree(start, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                    String name = folder.getFileName().toString();
                    return !folder.equals(start) && NOT_OURS.contains(name)
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    files.add(file);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        List<Hit> hits = new ArrayList<>();
        for (Path file : files) {
            String name = root.relativize(file).toString();
            if (isText(name)) {
                hits.addAll(hits(name, read(file)));
            }
        }
        return hits;
    }

    /** The hits in a text, as if it were in a file of that name, in the order of lines. */
    static List<Hit> hits(String name, String text) {
        List<Hit> hits = new ArrayList<>();
        if (name.contains("/src/test/")) {
            findNames(name, text, hits);
        }
        if (!NAMES_ONLY.matcher(name).find()) {
            for (Piece piece : pieces(name, text)) {
                find(name, text, piece, hits);
            }
        }
        hits.sort(Comparator.comparingInt(Hit::line));
        return hits;
    }

    private static void findNames(String name, String text, List<Hit> hits) {
        for (Matcher method = TEST_METHOD.matcher(text); method.find(); ) {
            if (ODD_NAME.matcher(method.group(1)).matches()) {
                hits.add(new Hit(
                        name,
                        line(text, method.start(1)),
                        method.group(1),
                        "subject first: closedRegionRejectsPost",
                        "void " + method.group(1) + "()"));
            }
        }
    }

    private static int line(String text, int at) {
        return 1 + (int) text.substring(0, at).chars().filter(c -> c == '\n').count();
    }

    private static boolean isText(String name) {
        return name.endsWith(".md") && !name.equals("STYLE.md")
                || isCode(name)
                || name.startsWith("scripts/") && name.matches(".*/[^.]+|.*\\.(sh|bats|cjs|mjs|py)")
                || name.matches("docs/.*\\.json|\\.github/.*\\.yml|.*/src/main/resources/io/.*\\.(html|js|json)");
    }

    private static boolean isCode(String name) {
        return name.matches(".*\\.(java|c|h)");
    }

    private static List<Piece> pieces(String name, String text) {
        if (isCode(name)) {
            return code(text);
        }
        return List.of(new Piece(0, name.endsWith(".md") ? page(text) : script(text)));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (CharacterCodingException notText) {
            return "";
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void find(String name, String source, Piece piece, List<Hit> hits) {
        for (Rule rule : RULES) {
            Matcher matcher = rule.words.matcher(piece.text);
            while (matcher.find()) {
                int from = Math.max(0, matcher.start() - 40);
                int to = Math.min(piece.text.length(), matcher.end() + 40);
                String around = piece.text.substring(from, to).replaceAll("\\s+", " ");
                if (EXCUSES.stream()
                        .noneMatch(excuse -> excuse.words.matcher(around).find())) {
                    hits.add(new Hit(
                            name,
                            line(source, piece.start + matcher.start()),
                            matcher.group().replaceAll("\\s+", " ").strip(),
                            rule.better,
                            around));
                }
            }
        }
    }

    private static final Pattern CODE_OF_PAGE =
            Pattern.compile("(?ms)^ *```.*?^ *```|``.*?``|`[^`\\n]*(?:\\n[^`\\n]+)?`|\\]\\([^)\\s]*\\)|<!--.*?-->");

    private static String page(String text) {
        return blank(text, CODE_OF_PAGE, '_');
    }

    private static String script(String text) {
        return text.replaceAll("(?m)^( *)#", "$1 ");
    }

    private static final Pattern CODE_OF_COMMENT = Pattern.compile(
            "\\{@(?:code|link|linkplain|literal|value|snippet)\\b[^{}]*(?:\\{[^{}]*\\}[^{}]*)*\\}|(?s:<pre>.*?</pre>)");
    private static final Pattern MARKER_OF_COMMENT = Pattern.compile("(?m)^\\s*(?:/\\*\\*|/\\*|\\*/|\\*|//)|\\*/$");
    /** Comments, text blocks, strings and characters, whichever comes first. */
    private static final Pattern TOKEN = Pattern.compile(
            "(?<comment>/\\*(?s:.*?)\\*/|//[^\\n]*(?:\\n\\s*//[^\\n]*)*)"
                    + "|\"\"\"(?<block>[^\"\\\\]*+(?:(?:\\\\(?s:.)|\"(?!\"\"))[^\"\\\\]*+)*+)\"\"\"|\"(?<string>(?:\\\\.|[^\"\\\\\\n])*+)\"|'(?:\\\\.|[^'\\\\])[^']*'");

    private static final Pattern JOINT = Pattern.compile("[\\s+]*");

    /** Each comment, and each string literal together with those that are added to it. */
    private static List<Piece> code(String text) {
        List<Piece> pieces = new ArrayList<>();
        Matcher token = TOKEN.matcher(text);
        char[] strings = new char[text.length()];
        Arrays.fill(strings, ' ');
        int first = -1;
        int end = 0;
        while (token.find()) {
            if (token.group("comment") != null) {
                String comment = blank(token.group(), CODE_OF_COMMENT, '_');
                pieces.add(new Piece(token.start(), blank(comment, MARKER_OF_COMMENT, ' ')));
                continue;
            }
            String group = token.group("block") != null ? "block" : token.group("string") != null ? "string" : null;
            if (group == null) {
                continue;
            }
            if (first >= 0 && !JOINT.matcher(text.substring(end, token.start())).matches()) {
                pieces.add(new Piece(first, new String(strings, first, end - first)));
                first = -1;
            }
            first = first < 0 ? token.start() : first;
            end = token.end();
            String literal = token.group(group).replaceAll("\\\\.", "  ");
            literal.getChars(0, literal.length(), strings, token.start(group));
        }
        if (first >= 0) {
            pieces.add(new Piece(first, new String(strings, first, end - first)));
        }
        return pieces;
    }

    /** Keeps the length and the lines. */
    private static String blank(String text, Pattern code, char blank) {
        char[] rest = text.toCharArray();
        for (Matcher found = code.matcher(text); found.find(); ) {
            for (int i = found.start(); i < found.end(); i++) {
                rest[i] = rest[i] == '\n' ? '\n' : blank;
            }
        }
        return new String(rest);
    }

    /** Lists the hits in the folders or files named, or with no arguments in the project, and counts them by area. */
    static void main(String... args) {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("native-headers"))) {
            root = root.getParent();
        }
        List<Hit> hits = new ArrayList<>();
        for (String start : args.length == 0 ? new String[] {root.toString()} : args) {
            hits.addAll(hits(root, Path.of(start).toAbsolutePath().normalize()));
        }
        hits.forEach(IO::println);
        hits.stream()
                .collect(Collectors.groupingBy(hit -> area(hit.file), TreeMap::new, Collectors.counting()))
                .forEach((area, count) -> IO.println(area + " " + count));
    }
}
