// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** docs/results.schema.json, for all tests whose documents must follow it. */
public final class ResultsSchema {
    private static final Schema SCHEMA = load();

    private ResultsSchema() {}

    private static Schema load() {
        try {
            // Tests run in the folders of their modules, some of which are in the folder of another one.
            Path folder = Path.of("").toAbsolutePath();
            while (!Files.exists(folder.resolve("docs/results.schema.json"))) {
                folder = folder.getParent();
            }
            String text = Files.readString(folder.resolve("docs/results.schema.json"));
            return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                    .getSchema(text, InputFormat.JSON);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Returns the mistakes in a document; empty if it follows the schema. */
    public static List<String> faults(String document) {
        return SCHEMA.validate(document, InputFormat.JSON).stream()
                .map(Error::toString)
                .toList();
    }
}
