// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.github.rdma4j.perftest.document.ResultsSchema;
import io.github.rdma4j.perftest.predict.machine.DescribedMachines;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** The documents and build-file fragments in pages can be parsed, and name published artifacts. */
class DataBlocksTest {
    private static final String GROUP = "io.github.rdma4j";
    private static final Pattern COORDINATES = Pattern.compile("\"([\\w.]+):([\\w-]+)(?::([^\"]+))?\"");
    private static final Pattern ARCHIVE = Pattern.compile("rdma4j-(\\d+\\.\\d+\\.\\d+)");

    @TempDir
    private Path folder;

    static Stream<CodeBlock> json() {
        return CodeBlock.in("json");
    }

    static Stream<CodeBlock> yaml() {
        return CodeBlock.in("yaml");
    }

    static Stream<CodeBlock> xml() {
        return CodeBlock.in("xml");
    }

    static Stream<CodeBlock> kotlin() {
        return CodeBlock.in("kotlin");
    }

    @ParameterizedTest
    @MethodSource("json")
    void resultsFollowTheirSchemaAndMachinesCanBeRead(CodeBlock block) throws IOException {
        JsonNode document = new ObjectMapper().readTree(block.text());
        if (document.has("adapter")) {
            assertThat(DescribedMachines.of(Files.writeString(folder.resolve("machine.json"), block.text())
                                    .toString())
                            .sources())
                    .isNotEmpty();
            return;
        }
        assertThat(document.findPath("schema").asText()).contains("/schema/results-");
        assertThat(ResultsSchema.faults(block.text())).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("yaml")
    void yamlCanBeReadAndItsCommandsBeGiven(CodeBlock block) throws IOException {
        for (JsonNode document : documents(block)) {
            assertThat(document.isObject()).isTrue();
            assertThat(document.findValuesAsText("run"))
                    .allSatisfy(
                            script -> assertThat(CommandLines.faults(script)).isEmpty());
            assertThat(document.findValues("command"))
                    .allSatisfy(command -> assertThat(CommandLines.faults(String.join(" ", words(command))))
                            .isEmpty());
        }
    }

    /** Run on a Kubernetes in docs/records/2026-11-30-mesh.md. */
    @Test
    void jobOfKubernetesHasAHostForEachRankAndKeepsItsReport() throws IOException {
        List<JsonNode> jobs = new ArrayList<>();
        for (CodeBlock block : yaml().toList()) {
            documents(block).stream()
                    .filter(document -> document.path("kind").asText().equals("Job"))
                    .forEach(jobs::add);
        }
        assertThat(jobs).isNotEmpty().allSatisfy(job -> {
            JsonNode spec = job.path("spec");
            List<String> command = words(spec.findValue("command"));
            String ranks = command.get(command.indexOf("--ranks") + 1);
            assertThat(spec.path("completions").asText()).isEqualTo(ranks);
            assertThat(spec.path("parallelism").asText()).isEqualTo(ranks);
            // With a limit for all pods, the first one that fails ends the others, and the pod of rank 0 with its log.
            assertThat(spec.path("backoffLimitPerIndex").asInt(-1)).isZero();
            assertThat(spec.has("backoffLimit")).isFalse();
        });
    }

    private static List<JsonNode> documents(CodeBlock block) throws IOException {
        return new YAMLMapper()
                .readerFor(JsonNode.class)
                .<JsonNode>readValues(block.text())
                .readAll();
    }

    private static List<String> words(JsonNode command) {
        List<String> words = new ArrayList<>();
        command.forEach(word -> words.add(word.asText()));
        return words;
    }

    @ParameterizedTest
    @MethodSource("xml")
    void dependenciesOfMavenAreOurArtifacts(CodeBlock block) throws Exception {
        NodeList dependencies = xml("<all>" + block.text() + "</all>").getElementsByTagName("dependency");
        assertThat(dependencies.getLength()).isPositive();
        for (int i = 0; i < dependencies.getLength(); i++) {
            Element dependency = (Element) dependencies.item(i);
            holdCoordinates(
                    child(dependency, "groupId"), child(dependency, "artifactId"), child(dependency, "version"));
        }
    }

    @ParameterizedTest
    @MethodSource("kotlin")
    void dependenciesOfGradleAreOurArtifacts(CodeBlock block) throws Exception {
        List<Matcher> found = new ArrayList<>();
        Matcher coordinates = COORDINATES.matcher(block.text());
        while (coordinates.find()) {
            holdCoordinates(coordinates.group(1), coordinates.group(2), coordinates.group(3));
            found.add(coordinates);
        }
        assertThat(found).isNotEmpty();
    }

    @Test
    void archivesHaveTheVersion() throws Exception {
        String version = version();
        assertThat(CodeBlock.in("sh")
                        .flatMap(block -> ARCHIVE.matcher(block.text()).results()))
                .isNotEmpty()
                .allSatisfy(archive -> assertThat(archive.group(1)).isEqualTo(version));
    }

    /** A version may be left to the BOM, or to a property. */
    private static void holdCoordinates(String group, String artifact, String version) throws Exception {
        assertThat(group).isEqualTo(GROUP);
        assertThat(published()).contains(artifact);
        if (version != null && !version.startsWith("${")) {
            assertThat(version).isEqualTo(version());
        }
    }

    private static List<String> published() throws Exception {
        List<String> artifacts = new ArrayList<>();
        NodeList modules = pom("").getElementsByTagName("module");
        for (int i = 0; i < modules.getLength(); i++) {
            artifacts.add(child(pom(modules.item(i).getTextContent()).getDocumentElement(), "artifactId"));
        }
        return artifacts;
    }

    /** The version of the next release, which the pages describe. */
    private static String version() throws Exception {
        return child(pom("").getDocumentElement(), "version").replace("-SNAPSHOT", "");
    }

    private static Document pom(String module) throws Exception {
        return xml(Files.readString(Pages.root().resolve(module).resolve("pom.xml")));
    }

    private static Document xml(String text) throws Exception {
        return DocumentBuilderFactory.newDefaultInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(text)));
    }

    /** The text of a direct child, or null. */
    private static String child(Element parent, String name) {
        for (var node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node.getNodeName().equals(name)) {
                return node.getTextContent();
            }
        }
        return null;
    }
}
