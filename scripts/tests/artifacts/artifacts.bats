#!/usr/bin/env bats
# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # $stderr is set by `run`
#
# What a release publishes, as scripts/artifacts makes it. A project outside the build uses it on the module path and on the class
# path, and the tools run where no Java is installed. RDMA4J_ARTIFACTS=FOLDER tests what scripts/artifacts has made, else they are
# built here, twice. RDMA4J_ARTIFACTS=built takes what `mvn package` has built, which has nothing for the tests tagged release.

bats_require_minimum_version 1.5.0

setup_file() {
    export ROOT ARTIFACTS=${RDMA4J_ARTIFACTS:-$BATS_FILE_TMPDIR/artifacts} REPOSITORY VERSION JDK TOOL
    ROOT=$(cd "$BATS_TEST_DIRNAME/../../.." && pwd -P)
    source "$ROOT/scripts/lib/common.sh"
    source "$ROOT/scripts/lib/jdk.sh"
    JDK=$(find_jdk 25)
    [[ $ARTIFACTS != built ]] || ARTIFACTS=$BATS_FILE_TMPDIR/artifacts
    REPOSITORY=$ARTIFACTS/repository/io/github/rdma4j
    case ${RDMA4J_ARTIFACTS:-} in
        '') "$ROOT/scripts/artifacts" "$ARTIFACTS" >&2 || return 1 ;;
        built) take_what_is_built || return 1 ;;
        *)
            [[ -d $REPOSITORY ]] || {
                echo "RDMA4J_ARTIFACTS=$ARTIFACTS: no folder that scripts/artifacts has made, and not the word built" >&2
                return 1
            }
            ;;
    esac
    VERSION=$(basename -- "$REPOSITORY"/rdma4j-parent/[0-9]*)
    tar -xf "$ARTIFACTS"/rdma4j-*.tar.gz -C "$BATS_FILE_TMPDIR"
    TOOL=$BATS_FILE_TMPDIR/rdma4j-$VERSION/bin/rdma4j
}

# Poms, jars and the tools' archive where scripts/artifacts would have them.
take_what_is_built() {
    local version pom name to target
    version=$(sed -nE '/<artifactId>rdma4j-parent</{n;s,.*<version>(.*)</version>.*,\1,p;q}' "$ROOT/pom.xml")
    for pom in "$ROOT"/{,*/,*/*/}pom.xml; do
        ! grep -qF '<maven.deploy.skip>true<' "$pom" || continue
        name=$(sed -n 's,^    <artifactId>\(.*\)</artifactId>,\1,p' "$pom")
        to=$REPOSITORY/$name/$version target=${pom%/*}/target
        mkdir -p "$to"
        [[ ! -e $target/.flattened-pom.xml ]] || pom=$target/.flattened-pom.xml
        cp "$pom" "$to/$name-$version.pom"
        [[ ! -e $target/$name-$version.jar ]] || cp "$target/$name-$version.jar" "$to"
    done
    "$ROOT/scripts/lib/pack-tool" "$JDK" "$ROOT" "$version" @0 "$ARTIFACTS"
}

# jar_of ARTIFACT [CLASSIFIER]
jar_of() {
    echo "$REPOSITORY/$1/$VERSION/$1-$VERSION${2:+-$2}.jar"
}

# The artifacts that are jars, one a line.
libraries() {
    local folder
    for folder in "$REPOSITORY"/*/; do
        folder=$(basename "$folder")
        [[ ! -e $(jar_of "$folder") ]] || echo "$folder"
    done
}

# bats test_tags=release
@test "each library comes with its sources, its Javadoc and an SBOM; benchmarks do not come" {
    [[ $VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
    for library in rdma4j-{base,verbs,testing,netty,spark,valkey,micrometer,cuda,gpudirect,perftest-tools,perftest-diagnosis,perftest-comparison,perftest}; do
        for file in "$(jar_of $library)" "$(jar_of $library sources)" "$(jar_of $library javadoc)"; do
            echo "$file"
            "$JDK/bin/jar" -tf "$file" >"$BATS_TEST_TMPDIR/content"
            grep -qx META-INF/LICENSE "$BATS_TEST_TMPDIR/content"
            grep -qx META-INF/NOTICE "$BATS_TEST_TMPDIR/content"
        done
        "$JDK/bin/jar" -tf "$(jar_of $library javadoc)" | grep -q index.html
        sbom=$REPOSITORY/$library/$VERSION/$library-$VERSION-cyclonedx.json
        grep -q '"bomFormat" : "CycloneDX"' "$sbom"
        run ! grep -E '"(serialNumber|timestamp)"' "$sbom"
    done
    grep -q '"purl" : "pkg:maven/info.picocli/picocli@' "$REPOSITORY/rdma4j-perftest/$VERSION/rdma4j-perftest-$VERSION-cyclonedx.json"
    run ! ls "$REPOSITORY/rdma4j-verbs-benchmarks"
    run ! ls "$REPOSITORY/rdma4j-cuda-benchmarks"
}

# bats test_tags=release
@test "the Javadoc holds what is exported, and nothing else" {
    "$JDK/bin/jar" -tf "$(jar_of rdma4j-verbs javadoc)" >"$BATS_TEST_TMPDIR/content"
    grep -q 'io/github/rdma4j/verbs/endpoint/Endpoint.html$' "$BATS_TEST_TMPDIR/content"
    run ! grep -E 'verbs/(internal|bindings)/' "$BATS_TEST_TMPDIR/content"
}

@test "the module descriptors" {
    module() {
        "$JDK/bin/jar" --describe-module -f "$(jar_of "$1")"
    }
    run module rdma4j-verbs
    [[ $output == "io.github.rdma4j.verbs@$VERSION "* ]]
    [[ $output == *"exports io.github.rdma4j.verbs"$'\n'* && $output != *"exports io.github.rdma4j.verbs.internal"* ]]
    [[ $output == *"contains io.github.rdma4j.verbs.bindings"* ]]
    run module rdma4j-base
    [[ $output == "io.github.rdma4j.base@$VERSION "* && $output != *$'\n'"exports "* && $output == *"qualified exports "* ]]
    run module rdma4j-cuda
    [[ $output == "io.github.rdma4j.cuda@$VERSION "* && $output == *"exports io.github.rdma4j.cuda"* ]]
    run module rdma4j-gpudirect
    [[ $output == "io.github.rdma4j.gpudirect@$VERSION "* ]]
    [[ $output == *"requires io.github.rdma4j.verbs transitive"* && $output == *"requires io.github.rdma4j.cuda transitive"* ]]
    run module rdma4j-netty
    [[ $output == "io.github.rdma4j.netty@$VERSION "* && $output == *"requires io.netty.transport transitive"* ]]
    run module rdma4j-micrometer
    [[ $output == "io.github.rdma4j.micrometer@$VERSION "* && $output == *"requires micrometer.core transitive"* ]]
    run module rdma4j-spark
    [[ $output == *"io.github.rdma4j.spark@$VERSION automatic"* ]]
    run module rdma4j-testing
    [[ $output == *"io.github.rdma4j.verbs.testing@$VERSION automatic"* ]]
    run module rdma4j-perftest
    [[ $output == "io.github.rdma4j.perftest@$VERSION "* && $output == *"main-class io.github.rdma4j.perftest.Main"* ]]
}

@test "each pom says what Maven Central asks for" {
    for pom in "$REPOSITORY"/*/"$VERSION"/*.pom; do
        echo "$pom"
        grep -q '<name>rdma4j' "$pom"
        grep -q '<description>.' "$pom"
        run ! grep -F "$VERSION-SNAPSHOT" "$pom"
        # The other ones inherit it.
        if [[ ${pom##*/} != rdma4j-@(parent|bom)-* ]]; then
            grep -q '<artifactId>rdma4j-parent<' "$pom"
            continue
        fi
        for element in url licenses developers scm connection developerConnection; do
            grep -q "<$element>\|<$element " "$pom"
        done
    done
}

# The plugin that publishes to Maven Central replaces Maven's, and ignores maven.deploy.skip.
@test "what is not published is left out of Maven Central" {
    local pom unpublished
    unpublished=$(for pom in "$ROOT"/{*/,*/*/}pom.xml; do
        ! grep -qF '<maven.deploy.skip>true<' "$pom" || sed -n 's,^    <artifactId>\(.*\)</artifactId>,\1,p' "$pom"
    done | sort)
    [[ -n $unpublished && $(sed -n 's,^ *<excludeArtifacts>\(.*\)</excludeArtifacts>,\1,p' "$ROOT/pom.xml" | tr , '\n' | sort) == "$unpublished" ]]
}

@test "the BOM has every library, nothing else, and no parent" {
    bom=$REPOSITORY/rdma4j-bom/$VERSION/rdma4j-bom-$VERSION.pom
    managed=$(sed -n '/<dependencyManagement>/,$ s,.*<artifactId>\(.*\)</artifactId>.*,\1,p' "$bom" | sort)
    [ "$managed" == "$(libraries | sort)" ]
    run ! grep -E '<parent>|<properties>|<build>' "$bom"
    run ! grep -F "$BATS_FILE_TMPDIR" "$bom"
}

@test "the runnable jar has the licences of what it contains" {
    "$JDK/bin/jar" -tf "${TOOL%/bin/*}/lib/rdma4j-perftest.jar" >"$BATS_TEST_TMPDIR/content"
    for file in LICENSE NOTICE licenses/HdrHistogram.txt licenses/jmustache.txt FastDoubleParser-LICENSE Schubfach-LICENSE; do
        grep -qx "META-INF/$file" "$BATS_TEST_TMPDIR/content"
    done
    grep -q 'META-INF/resources/_static/echarts/.*/LICENSE$' "$BATS_TEST_TMPDIR/content"
}

# bats test_tags=release
@test "the runnable jar contains what its SBOM names, and no other library" {
    # A library that comes to it needs a look at its licence, and then a place here.
    [ "$(sed -nE 's,.*"purl" : "pkg:maven/([^@]+)@.*,\1,p' "$REPOSITORY/rdma4j-perftest/$VERSION/rdma4j-perftest-$VERSION-cyclonedx.json" |
        grep -v '^io.github.rdma4j/' | sort)" == "com.fasterxml.jackson.core/jackson-core
com.samskivert/jmustache
info.picocli/picocli
org.hdrhistogram/HdrHistogram
org.mvnpm/echarts" ]
}

# A version that the project's pom pins.
pinned() {
    sed -n "/<artifactId>$1</{n;s,.*<version>\(.*\)</version>.*,\1,p;q}" "$ROOT/pom.xml"
}

# Compiles the consumer once, in CONSUMER, and leaves the jars that it uses in CONSUMER/libraries, one a line.
compile_consumer() {
    CONSUMER=$BATS_FILE_TMPDIR/consumer
    [[ ! -e $CONSUMER/libraries ]] || return 0
    cp -r "$BATS_TEST_DIRNAME/consumer" "$CONSUMER"
    # Maven's plugins come from the build's own repository if they are there; rdma4j from nowhere but the artifacts.
    local cached=$HOME/.m2/repository
    [[ ! ${MAVEN_OPTS:-} =~ -Dmaven.repo.local=([^ ]+) ]] || cached=${BASH_REMATCH[1]}
    cat >"$CONSUMER/settings.xml" <<XML
<settings>
  <profiles><profile><id>consumer</id>
    <repositories>
      <repository><id>artifacts</id><url>file://$ARTIFACTS/repository</url></repository>
      <repository><id>cached</id><url>file://$cached</url><releases><checksumPolicy>ignore</checksumPolicy></releases>
        <snapshots><enabled>false</enabled></snapshots></repository>
    </repositories>
    <pluginRepositories>
      <pluginRepository><id>cached</id><url>file://$cached</url><releases><checksumPolicy>ignore</checksumPolicy></releases></pluginRepository>
    </pluginRepositories>
  </profile></profiles>
  <activeProfiles><activeProfile>consumer</activeProfile></activeProfiles>
</settings>
XML
    JAVA_HOME=$JDK mvn -B -ntp -q "-Dmaven.repo.local=$BATS_FILE_TMPDIR/m2" -s "$CONSUMER/settings.xml" -f "$CONSUMER/pom.xml" "-Drdma4j.version=$VERSION" \
        "org.apache.maven.plugins:maven-compiler-plugin:$(pinned maven-compiler-plugin):compile" \
        "org.apache.maven.plugins:maven-dependency-plugin:$(pinned maven-dependency-plugin):build-classpath" \
        "-Dmdep.outputFile=$CONSUMER/libraries.txt" -Dmdep.includeScope=runtime </dev/null
    mv "$CONSUMER/libraries.txt" "$CONSUMER/libraries"
}

@test "the Maven project of the manual builds, and its program runs on a machine without RDMA" {
    compile_consumer # for its settings
    project=$BATS_TEST_TMPDIR/project
    mkdir -p "$project/src/main/java"
    cp "$ROOT/docs/examples/Anywhere.java" "$project/src/main/java"
    sed -n '/^```xml$/,/^```$/ { /^```/d; p }' "$ROOT/docs/getting-started.md" |
        sed "s,<url>file:.*</url>,<url>file://$ARTIFACTS/repository</url>,; s,<version>0\.1\.0<,<version>$VERSION<," >"$project/pom.xml"
    # shellcheck disable=SC2046  # words, as a reader types them
    JAVA_HOME=$JDK mvn -B -ntp -q "-Dmaven.repo.local=$BATS_FILE_TMPDIR/m2" -s "$CONSUMER/settings.xml" -f "$project/pom.xml" \
        $(sed -n 's/^mvn \(compile .*\)/\1/p' "$ROOT/docs/getting-started.md") </dev/null
    cd "$project"
    run "$JDK/bin/java" --enable-native-access=ALL-UNNAMED -cp 'target/classes:target/dependency/*' Anywhere client 127.0.0.1 1
    [[ $output == *ConnectionRefused* || $output == *"127.0.0.1:1"* ]]
    [[ $output != *WARNING* ]]
}

# What a library with native access does not get away with when nobody has allowed it.
DENY=--illegal-native-access=deny

@test "a project outside the build uses the libraries on the module path" {
    compile_consumer
    run "$JDK/bin/java" $DENY --enable-native-access=io.github.rdma4j.verbs,io.github.rdma4j.cuda \
        -p "$CONSUMER/target/classes:$(<"$CONSUMER/libraries")" -m consumer/consumer.Main
    [ "$status" -eq 0 ]
    [[ $output == "module: consumer"$'\n'"verbs module: io.github.rdma4j.verbs"$'\n'"verbs: "*$'\n'"cuda: "* ]]
    [[ $output != *WARNING* && $output != *Exception* ]]
    # From the artifacts, and no more than they need.
    [ "$(tr ':' '\n' <"$CONSUMER/libraries" | sed 's,.*/,,' | sort | tr '\n' ' ')" == \
        "rdma4j-base-$VERSION.jar rdma4j-cuda-$VERSION.jar rdma4j-gpudirect-$VERSION.jar rdma4j-verbs-$VERSION.jar " ]
}

@test "a project outside the build uses the libraries on the class path" {
    compile_consumer
    run "$JDK/bin/java" $DENY --enable-native-access=ALL-UNNAMED \
        -cp "$CONSUMER/target/classes:$(<"$CONSUMER/libraries")" consumer.Main
    [ "$status" -eq 0 ]
    [[ $output == "module: null"$'\n'"verbs module: null"$'\n'"verbs: "*$'\n'"cuda: "* ]]
    [[ $output != *WARNING* && $output != *Exception* ]]
}

@test "an executable jar allows native access in its manifest" {
    compile_consumer
    printf 'Enable-Native-Access: ALL-UNNAMED\n' >"$BATS_TEST_TMPDIR/manifest"
    tr ':' '\n' <"$CONSUMER/libraries" | sed '1s,^,Class-Path: file:,; 2,$s,^,  file:,' >>"$BATS_TEST_TMPDIR/manifest"
    echo >>"$BATS_TEST_TMPDIR/manifest" # the jar tool drops a last line without end
    "$JDK/bin/jar" -cfme "$BATS_TEST_TMPDIR/consumer.jar" "$BATS_TEST_TMPDIR/manifest" consumer.Main \
        -C "$CONSUMER/target/classes" consumer
    run "$JDK/bin/java" $DENY -jar "$BATS_TEST_TMPDIR/consumer.jar"
    [ "$status" -eq 0 ]
    [[ $output == *"verbs: "*$'\n'"cuda: "* && $output != *WARNING* && $output != *Exception* ]]
}

@test "without the flag the JVM warns, and names the module" {
    compile_consumer
    run "$JDK/bin/java" -p "$CONSUMER/target/classes:$(<"$CONSUMER/libraries")" -m consumer/consumer.Main
    [ "$status" -eq 0 ]
    [[ $output == *"WARNING: Use --enable-native-access=io.github.rdma4j.verbs"* ]]
}

@test "the tools run where no Java is found" {
    mkdir "$BATS_TEST_TMPDIR/a place"
    cp -r "${TOOL%/bin/*}" "$BATS_TEST_TMPDIR/a place/elsewhere"
    ln -s "$BATS_TEST_TMPDIR/a place/elsewhere/bin/rdma4j" "$BATS_TEST_TMPDIR/linked"
    run env -i "$BATS_TEST_TMPDIR/linked" --version
    [ "$status" -eq 0 ]
    [[ $output == *"$VERSION"* ]]
    run env -i "$TOOL" ib_write_lat --help
    [ "$status" -eq 0 ]
    [[ $output == *--ib-dev* && $output != *WARNING* ]]
    run env -i "$TOOL" report "$ROOT/perftest/comparison/src/test/resources/io/github/rdma4j/perftest/page/compare.json" --out "$BATS_TEST_TMPDIR/page.html"
    [ "$status" -eq 0 ]
    grep -q '<svg\|echarts' "$BATS_TEST_TMPDIR/page.html"
    # Its own runtime, whatever this machine has.
    run env -i JAVA_HOME=/no/such RDMA4J_JAVA_HOME=/no/such RDMA4J_JAVA_OPTIONS=-XshowSettings:properties "$TOOL" --version
    [ "$status" -eq 0 ]
    [[ $output == *"java.home = ${TOOL%/bin/*}/runtime"* ]]
    [ -s "${TOOL%/bin/*}/runtime/legal/java.base/LICENSE" ]
}

@test "the tools keep a cache of loaded classes, made with their own runtime" {
    export RDMA4J_CACHE=$BATS_TEST_TMPDIR/cache
    run "$TOOL" ib_write_lat -d no_such_device localhost
    [ "$status" -eq 1 ]
    [[ $output == *"preparing a faster start (once)"*"no_such_device"* ]]
    caches=("$RDMA4J_CACHE"/start/*ALL-UNNAMED*)
    [ "${#caches[@]}" -eq 1 ]
    [ -s "${caches[0]}" ]
    run "$TOOL" ib_write_lat -d no_such_device localhost
    [[ $output != *"preparing"* && $output != *"warning"* && $output == *"no_such_device"* ]]
}

@test "the tools measure on verbs, on a machine without JDK" {
    cat >"$BATS_TEST_TMPDIR/guest" <<'GUEST'
#!/bin/bash
mount -t tmpfs none "$JDK" && ! ls "$JDK"/bin 2>/dev/null || exit 9
tool=(env -i RDMA4J_JAVA_OPTIONS=-XX:TieredStopAtLevel=1 "$TOOL" ib_write_lat -d rxe0 -n 100 --no-warm-up --timeout 90)
"${tool[@]}" >/tmp/server 2>&1 &
for _ in {1..300}; do
    grep -qi ':4853 ' /proc/net/tcp /proc/net/tcp6 && break # port 18515
    sleep 0.1
done
"${tool[@]}" 127.0.0.1
status=$?
wait $! || { cat /tmp/server; exit 8; }
exit $status
GUEST
    chmod +x "$BATS_TEST_TMPDIR/guest"
    run "$ROOT/scripts/softroce" --vm --accel native --quiet --timeout 240 --env JDK --env TOOL "$BATS_TEST_TMPDIR/guest"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output =~ $'\n'\ *2\ +100\ +[0-9]+\.[0-9] ]]
}

@test "a build that differs from the first is reported, with the files and both folders" {
    mkdir "$BATS_TEST_TMPDIR/bin"
    cat >"$BATS_TEST_TMPDIR/bin/mvn" <<'MVN'
#!/bin/bash
for argument; do
    case $argument in
        -DaltDeploymentRepository=*) repository=${argument#*file://} ;;
        */pom.xml) project=${argument%/pom.xml} ;;
    esac
done
mkdir -p "$repository/io" "$project/perftest/target"
echo same >"$repository/io/steady.jar"
pwd -P >"$repository/io/steady.pom"
echo "$project" >"$repository/io/with-the-folder.jar"
cp "$TOOL_JAR" "$project/perftest/target/"
MVN
    # The runtime is no matter here, and costs a while.
    mkdir -p "$BATS_TEST_TMPDIR/jdk/bin"
    ln -s "$JDK/release" "$BATS_TEST_TMPDIR/jdk/release"
    ln -s "$JDK/bin/java" "$JDK/bin/javac" "$BATS_TEST_TMPDIR/jdk/bin"
    printf '#!/bin/sh\necho java.base\n' >"$BATS_TEST_TMPDIR/jdk/bin/jdeps"
    # shellcheck disable=SC2016  # expanded by the script
    printf '#!/bin/sh\nfor folder; do :; done\nmkdir "$folder"\n' >"$BATS_TEST_TMPDIR/jdk/bin/jlink"
    chmod +x "$BATS_TEST_TMPDIR/jdk/bin/"{jdeps,jlink} "$BATS_TEST_TMPDIR/bin/mvn"
    RDMA4J_JAVA_HOME=$BATS_TEST_TMPDIR/jdk TOOL_JAR="${TOOL%/bin/*}/lib/rdma4j-perftest.jar" TMPDIR=$BATS_TEST_TMPDIR PATH="$BATS_TEST_TMPDIR/bin:$PATH" \
        run "$ROOT/scripts/artifacts" "$BATS_TEST_TMPDIR/out"
    [ "$status" -eq 1 ]
    [[ $output == *"the two builds differ in these files:"*"repository/io/with-the-folder.jar"*"both builds are in $BATS_TEST_TMPDIR/"* ]]
    [[ $output != *steady* ]]
    [ ! -e "$BATS_TEST_TMPDIR/out" ]
}

@test "a build that fails shows why" {
    mkdir "$BATS_TEST_TMPDIR/bin"
    printf '#!/bin/sh\necho "[ERROR] no such thing"; exit 1\n' >"$BATS_TEST_TMPDIR/bin/mvn"
    chmod +x "$BATS_TEST_TMPDIR/bin/mvn"
    PATH="$BATS_TEST_TMPDIR/bin:$PATH" run "$ROOT/scripts/artifacts" "$BATS_TEST_TMPDIR/out"
    [ "$status" -eq 1 ]
    [[ $output == *"no such thing"*"the build failed"* ]]
    run "$ROOT/scripts/artifacts" --twice
    [ "$status" -eq 2 ]
    [[ $output == *"unknown option --twice"* ]]
}
