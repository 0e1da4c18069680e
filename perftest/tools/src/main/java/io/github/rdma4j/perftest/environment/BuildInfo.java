// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.environment;

import io.github.rdma4j.perftest.wire.WireVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version of this build. */
public final class BuildInfo {
    private static final String VERSION = load();

    private BuildInfo() {}

    /** The project's version. */
    public static String version() {
        return VERSION;
    }

    /** Name, version, Java and wire version in one line. */
    public static String describe() {
        return "rdma4j " + VERSION + ", Java " + Runtime.version().feature() + ", wire version " + WireVersion.OURS;
    }

    private static String load() {
        try (InputStream in = BuildInfo.class.getResourceAsStream("build.properties")) {
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
