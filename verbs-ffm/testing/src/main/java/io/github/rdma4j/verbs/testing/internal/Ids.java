// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import org.junit.platform.engine.UniqueId;

/** The same test has two unique ids: JUnit Jupiter's, and one of this engine, which differ in the first segment. */
final class Ids {
    static final String JUPITER = "junit-jupiter";

    private Ids() {}

    static UniqueId ours(UniqueId jupiters) {
        return under(UniqueId.forEngine(SoftRoceTestEngine.ID), jupiters);
    }

    static UniqueId jupiters(UniqueId ours) {
        return under(UniqueId.forEngine(JUPITER), ours);
    }

    static boolean isOurs(UniqueId id) {
        return id.getEngineId().filter(SoftRoceTestEngine.ID::equals).isPresent();
    }

    static boolean isJupiters(UniqueId id) {
        return id.getEngineId().filter(JUPITER::equals).isPresent();
    }

    private static UniqueId under(UniqueId engine, UniqueId id) {
        UniqueId result = engine;
        for (UniqueId.Segment segment :
                id.getSegments().subList(1, id.getSegments().size())) {
            result = result.append(segment);
        }
        return result;
    }
}
