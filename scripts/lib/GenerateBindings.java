// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0

// Generates the bindings with jextract, or compares them with the committed ones. scripts/generate-bindings runs it.
// native-headers/README.md describes the input.

/** The bindings to one library. The folder in native-headers with their input has the same name. */
record BindingSet(String name, String umbrella, String sources, String library) {
    String javaPackage() {
        return "io.github.rdma4j." + library + ".bindings";
    }

    Path in(Path sources) {
        return sources.resolve(javaPackage().replace('.', '/'));
    }
}

/** The exit status of a program, and what it printed on either stream. */
record Result(int status, String output) {}

static final List<BindingSet> SETS = List.of(
        new BindingSet("rdma-core", "rdma.h", "verbs-ffm/src/main/generated", "verbs"),
        new BindingSet("cuda", "driver.h", "cuda-ffm/src/main/generated", "cuda"),
        new BindingSet("cufile", "storage.h", "gpudirect/src/main/generated", "gpudirect.storage"),
        new BindingSet("nccl", "collectives.h", "gpudirect/src/main/generated", "gpudirect.nccl"));
static final String SET_NAMES = SETS.stream().map(BindingSet::name).collect(Collectors.joining(" "));
/** Classes whose layout differs between machines. The one that is needed is written by hand. */
static final Set<String> REPLACED =
        Set.of("pthread_mutex_t.java", "__pthread_mutex_s.java", "__pthread_internal_list.java");
/** The class with the layouts of the C types. Every run writes it; one name for all runs makes them one class. */
static final String SHARED_CLASS = "NativeTypes";
static final List<String> OPTIONS = List.of("--only", "--jextract", "--cuda-home", "--cufile-home");
static final int DIFF_LINES = 400;

static final String USAGE = """
        Usage: scripts/generate-bindings [OPTION]…

        Generates the bindings in src/main/generated of verbs-ffm, cuda-ffm and gpudirect; see native-headers/README.md.

          --only SET          generates only this set: rdma-core, cuda, cufile or nccl
          --jextract PATH     the jextract program, or the folder it was unpacked into
                              (default: $JEXTRACT, then jextract on the PATH)
          --cuda-home PATH    the folder that contains include/cuda.h
                              (default: $CUDA_HOME, then the folder of nvcc on the PATH, then /usr/local/cuda* and /usr)
          --cufile-home PATH  the folder that contains include/cufile.h (default: the folder of cuda.h)
          --check             writes nothing and prints the difference from the committed bindings; status 1 if there is one
          -h, --help          this text
        """;

final Path root = Path.of(System.getProperty("rdma4j.root"));
final Path headers = root.resolve("native-headers");
/** The folder in which programs run. It has no compile_flags.txt, which jextract would silently obey. */
final Path work = Path.of(System.getProperty("rdma4j.work"));
final Map<String, String> options = new HashMap<>();
String jextract;

void main(String... arguments) throws Exception {
    readOptions(List.of(arguments).iterator());
    String only = options.get("--only");
    var sets = SETS.stream().filter(set -> only == null || set.name.equals(only)).toList();
    if (sets.isEmpty()) {
        die(2, "unknown set '%s'\nchoose from: %s", only, SET_NAMES);
    }
    jextract = findJextract();
    String machine = run("uname", "-m").output;
    // jextract describes the machine on which it runs.
    require(machine.equals("x86_64"), "bindings can be generated only on x86_64, but this machine is %s", machine);
    var includes = new HashMap<BindingSet, List<Path>>();
    for (BindingSet set : sets) {
        includes.put(set, includeFolders(set));
    }
    var different = new LinkedHashSet<String>();
    for (BindingSet set : sets) {
        if (!generate(set, includes.get(set))) {
            different.add(set.sources);
        }
    }
    require(different.isEmpty(), """
            these differ from the output of jextract: %s
            generated sources are never edited by hand: run scripts/generate-bindings and commit what it writes""",
            String.join(" ", different));
}

void readOptions(Iterator<String> words) {
    while (words.hasNext()) {
        String word = words.next();
        String[] parts = word.split("=", 2);
        if (word.equals("-h") || word.equals("--help")) {
            IO.print(USAGE);
            System.exit(0);
        } else if (word.equals("--check")) {
            options.put(word, "");
        } else if (OPTIONS.contains(parts[0])) {
            String value = parts.length == 2 ? parts[1] : words.hasNext() ? words.next() : "";
            if (value.isEmpty()) {
                String missing = parts[0].equals("--only") ? "the name of a set: " + SET_NAMES : "a path";
                die(2, "%s needs %s", parts[0], missing);
            }
            options.put(parts[0], value);
        } else {
            die(2, "unknown option %s\nsee scripts/generate-bindings --help", word);
        }
    }
}

String findJextract() throws Exception {
    String remedy = """
            get one from https://jdk.java.net/jextract (it must carry libclang 13, 14 or 15), then give
            --jextract PATH, set JEXTRACT=PATH, or put it on the PATH""";
    String named = option("--jextract", "JEXTRACT");
    require(!named.isEmpty(), "no jextract found\n%s", remedy);
    Path program = Files.isDirectory(Path.of(named)) ? Path.of(named, "bin/jextract") : Path.of(named);
    require(
            Files.isRegularFile(program) && Files.isExecutable(program),
            "%s cannot be run\n%s", program, remedy);
    program = program.toRealPath();
    Result version = run(program.toString(), "--version");
    require(
            version.status == 0 && version.output.contains("jextract"),
            "%s does not work: '%1$s --version' prints\n%s", program, version.output);
    String libclang = String.join("", names("", "^LibClang version (.*)", version.output));
    say("%s, libclang: %s", version.output.lines().findFirst().orElseThrow(), libclang);
    return program.toString();
}

/** Checks that the headers of a set have the pinned version, and returns the folders to search for them. */
List<Path> includeFolders(BindingSet set) throws Exception {
    return switch (set.name) {
        case "rdma-core" -> rdmaCoreHeaders();
        case "cuda" -> List.of(cudaHeaders());
        case "cufile" -> cuFileHeaders();
        default -> ncclHeaders();
    };
}

String pinned(String set) throws IOException {
    return Files.readString(headers.resolve(set, "version")).strip();
}

List<Path> rdmaCoreHeaders() throws Exception {
    String pinned = pinned("rdma-core");
    for (String library : List.of("libibverbs", "librdmacm")) {
        String installed = installedVersion(library);
        require(!installed.isEmpty(), """
                the headers of %s are not installed
                install with: apt-get install libibverbs-dev librdmacm-dev (Debian 12 has version %s)""",
                library, pinned);
        require(installed.equals(pinned), """
                the installed headers of %s are rdma-core %s, the bindings are made from %s
                use a machine or container with rdma-core %3$s (Debian 12), or, to move to %2$s on purpose,
                put %2$s into native-headers/rdma-core/version""", library, installed, pinned);
    }
    return List.of();
}

/** Returns the version of the package, because the headers of rdma-core have none. */
String installedVersion(String library) throws Exception {
    Result version = run("pkg-config", "--modversion", library);
    if (version.status == 0) {
        // 1.14.44.0: the version of the library, then the version of rdma-core.
        return version.output.replaceFirst("^\\d+\\.\\d+\\.", "");
    }
    version = run("dpkg-query", "-W", "-f=${Version}", library + "-dev");
    return version.status == 0 ? version.output.replaceFirst("-.*", "") : "";
}

Path cudaHeaders() throws Exception {
    String named = option("--cuda-home", "CUDA_HOME");
    String remedy = cuda("cuda_headers_remedy", "").output;
    Result found = cuda("find_cuda_headers", named.isEmpty() ? "" : Path.of(named).toAbsolutePath().toString());
    String missing = "no cuda.h found: not beside nvcc, not in /usr/local/cuda* or /usr";
    require(found.status == 0, "%s\n%s", named.isEmpty() ? missing : named + "/include has no cuda.h", remedy);
    Path include = Path.of(found.output);
    require(
            Files.isRegularFile(include.resolve("cudaTypedefs.h")),
            "%s has cuda.h but no cudaTypedefs.h: the installation is incomplete\n%s", include, remedy);
    Result version = cuda("cuda_headers_version", found.output);
    require(version.status == 0, "%s/cuda.h does not define CUDA_VERSION\n%s", include, remedy);
    require(version.output.equals(pinned("cuda")), """
            %s/cuda.h belongs to CUDA %s, the bindings are made from %s
            %s
            or, to move to %2$s on purpose, put %2$s into native-headers/cuda/version""",
            include, version.output, pinned("cuda"), remedy);
    return include;
}

/** cufile.h has no version: the version of its toolkit is pinned, and every name is checked. */
List<Path> cuFileHeaders() throws Exception {
    Path cuda = cudaHeaders();
    String home = options.get("--cufile-home");
    Path include = home == null ? cuda : Path.of(home, "include").toAbsolutePath();
    require(Files.isRegularFile(include.resolve("cufile.h")), """
            %s has no cufile.h
            install cuFile of the CUDA toolkit %s (NVIDIA's wheel nvidia-cufile %s has the header), and give
            --cufile-home PATH, the folder that contains include/cufile.h""",
            include, pinned("cuda"), pinned("cufile"));
    return List.of(include, cuda);
}

List<Path> ncclHeaders() throws IOException {
    Path include = headers.resolve("nccl/include");
    String header = Files.readString(include.resolve("nccl.h"));
    String version = String.join(".", names("", "^#define NCCL_(?:MAJOR|MINOR|PATCH) (\\d+)$", header));
    require(version.equals(pinned("nccl")), """
            native-headers/nccl/include/nccl.h belongs to NCCL %s, and the file version has %s
            put src/nccl.h.in of NVIDIA/nccl's tag v%2$s-1 there, its ${nccl:…} replaced, or correct version""",
            version, pinned("nccl"));
    return List.of(include);
}

/** Writes the classes of a set if they differ from the committed ones. With --check, prints the difference instead. */
boolean generate(BindingSet set, List<Path> includes) throws Exception {
    var classes = new TreeMap<String, String>();
    for (Path list : files(headers.resolve(set.name), ".args")) {
        runJextract(set, includes, list).forEach((file, text) -> {
            String other = classes.put(file, text);
            require(other == null || other.equals(text), """
                    two of native-headers/%s/*.args make %s, and not the same
                    include that type in one of them only""", set.name, file);
        });
    }
    Path committed = set.in(root.resolve(set.sources));
    // Not compiled: the build compiles what is committed.
    if (classes.equals(read(committed))) {
        say("%s: the %d committed classes match the output of jextract", set.name, classes.size());
        return true;
    }
    Path generated = set.in(work.resolve(set.name));
    write(classes, generated);
    compile(set, generated);
    if (options.containsKey("--check")) {
        String folder = work.relativize(generated).toString();
        var difference = run("diff", "-rN", "-u", committed.toString(), folder).output.lines();
        difference.limit(DIFF_LINES).forEach(IO::println);
        warn("%s differs from the output of jextract (at most %d lines of the difference are above)", set.sources, DIFF_LINES);
        return false;
    }
    for (Path file : files(committed, "")) {
        Files.delete(file);
    }
    write(classes, committed);
    say("%s: wrote %d classes to %s", set.name, classes.size(), set.sources);
    return true;
}

/** Returns what jextract makes of the names in a list, without what is not used: the sources by file name. */
Map<String, String> runJextract(BindingSet set, List<Path> includes, Path list) throws Exception {
    Path output = work.resolve(set.name + "-" + list.getFileName());
    var command = new ArrayList<>(List.of(jextract, "--target-package", set.javaPackage()));
    command.addAll(List.of("--symbols-class-name", SHARED_CLASS, "--output", output.toString()));
    includes.forEach(folder -> command.addAll(List.of("--include-dir", folder.toString())));
    command.addAll(List.of("@" + list, headers.resolve(set.name, set.umbrella).toString()));
    Result result = run(command.toArray(String[]::new));
    System.err.print(result.output.isEmpty() ? "" : result.output + "\n");
    require(result.status == 0, """
            jextract failed on %s
            where it says that something 'depends on' an excluded type, add that type to the file""",
            root.relativize(list));
    Map<String, String> classes = read(set.in(output));
    require(classes.values().stream().noneMatch(text -> text.contains("(unnamed")), """
            this jextract writes broken code: it carries libclang 16 or later (CODETOOLS-7903480)
            use one with libclang 13, 14 or 15""");
    checkNames(list, classes);
    classes.keySet().removeAll(REPLACED);
    classes.replaceAll((_, text) -> withoutElements(withoutCallsByPointer(withoutRestrictedField(text))));
    return classes;
}

/** Checks that each name in a list was made: jextract ignores a name that it does not find. */
void checkNames(Path list, Map<String, String> classes) throws IOException {
    String text = Files.readString(list);
    var missing = new TreeSet<>(names("function ", "^--include-function\\h+([^\\s#]+)", text));
    missing.addAll(names("constant ", "^--include-constant\\h+([^\\s#]+)", text));
    missing.addAll(names("type ", "^--include-(?:struct|union|typedef)\\h+([^\\s#]+)", text));
    classes.forEach((file, source) -> {
        names("function ", " SYMBOL_LOOKUP\\.findOrThrow\\(\"([^\"]+)\"\\)", source).forEach(missing::remove);
        names("constant ", "^    public static [A-Za-z.]+ (\\w+)\\(\\) ", source).forEach(missing::remove);
        missing.remove("type " + file.replace(".java", ""));
    });
    require(missing.isEmpty(), """
            %s names what the headers do not have:
            %s
            correct the name or remove the line (it may be an inline function or a function-like macro)""",
            root.relativize(list), String.join("\n", missing));
}

/**
 * Removes the handle, getter and setter for single elements of an array, which are not used. The handles are created
 * with the class: for the first structures of a program, the JVM had to write and load thirty classes.
 */
String withoutElements(String text) {
    String declaration = "(?m)^( *)\\S.* static final VarHandle [^ \\n]+\\$ELEM_HANDLE = .*\\n";
    return text.replaceAll(declaration + "(?:(?:.*\\n)*?\\1}\\n){2}", "");
}

/**
 * Keeps only the descriptor of a type of function pointers: the functions are called with handles that are bound to
 * their addresses. The calls by pointer that jextract generates link each shape of arguments again, with the class, and
 * if native access is denied, they fail with the class.
 */
String withoutCallsByPointer(String text) {
    String descriptor = "\\n    public static FunctionDescriptor descriptor\\(\\).*?\\n    }\\n";
    return text.replaceFirst("(?s)(class PFN_.*?" + descriptor + ").*", "$1}\n\n");
}

/**
 * Moves a restricted call for pointers out of the class initializer. If native access is denied, a program that first
 * uses a constant would get an error of class loading, instead of the message that shows how to allow native access.
 */
String withoutRestrictedField(String text) {
    String field = "    (public static final AddressLayout C_POINTER = )\\((\\(AddressLayout\\) .*)\\)\\n *\\.(.*)";
    return text.replaceFirst(field + "(\\n(?s:.*?)\\n\\n)", """
                $1pointer();$4\
                private static AddressLayout pointer() {
                    AddressLayout plain = $2;
                    try {
                        return plain.$3
                    } catch (IllegalCallerException e) {
                        return plain;
                    }
                }

            """);
}

void compile(BindingSet set, Path generated) throws IOException {
    // The class files are not used.
    var arguments = new ArrayList<>(List.of("--release", "25", "-proc:none", "-XDshould-stop.ifNoError=FLOW"));
    arguments.addAll(List.of("-Xlint:all,-restricted", "-Werror", "-d", work.resolve("classes").toString()));
    for (Path folder : List.of(generated, set.in(root.resolve(set.sources).resolveSibling("java")))) {
        files(folder, ".java").forEach(file -> arguments.add(file.toString()));
    }
    var compiler = java.util.spi.ToolProvider.findFirst("javac").orElseThrow();
    require(compiler.run(System.err, System.err, arguments.toArray(String[]::new)) == 0, """
            what jextract wrote does not compile
            an unnamed type that is embedded by value in a struct must also be included: native-headers/README.md""");
}

/** Calls a function of scripts/lib/cuda-headers.sh. */
Result cuda(String function, String argument) throws Exception {
    String script = "source \"$0/common.sh\"; source \"$0/cuda-headers.sh\"; \"$1\" \"$2\"";
    return run("bash", "-euc", script, root.resolve("scripts/lib").toString(), function, argument);
}

Result run(String... command) throws Exception {
    var program = new ProcessBuilder(command).directory(work.toFile()).redirectErrorStream(true);
    // jextract would also search these folders for headers.
    program.environment().keySet().removeAll(Set.of("CPATH", "C_INCLUDE_PATH"));
    try {
        Process process = program.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output.strip());
    } catch (IOException e) {
        return new Result(127, e.getMessage());
    }
}

String option(String name, String variable) {
    return options.getOrDefault(name, System.getenv().getOrDefault(variable, ""));
}

List<String> names(String kind, String regex, String text) {
    var matches = Pattern.compile(regex, Pattern.MULTILINE).matcher(text).results();
    return matches.map(match -> kind + match.group(1)).toList();
}

List<Path> files(Path folder, String suffix) throws IOException {
    if (!Files.exists(folder)) {
        return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
        return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
    }
}

Map<String, String> read(Path folder) throws IOException {
    var texts = new TreeMap<String, String>();
    for (Path file : files(folder, "")) {
        texts.put(file.getFileName().toString(), Files.readString(file));
    }
    return texts;
}

void write(Map<String, String> texts, Path folder) throws IOException {
    Files.createDirectories(folder);
    for (var text : texts.entrySet()) {
        Files.writeString(folder.resolve(text.getKey()), text.getValue());
    }
}

void say(String message, Object... values) {
    if (System.getenv().getOrDefault("RDMA4J_QUIET", "").isEmpty()) {
        warn(message, values);
    }
}

/** Prints a message, whose further lines help to solve the problem. */
void warn(String message, Object... values) {
    System.err.println("generate-bindings: " + message.formatted(values).replace("\n", "\n    "));
}

void require(boolean condition, String message, Object... values) {
    if (!condition) {
        die(1, message, values);
    }
}

void die(int status, String message, Object... values) {
    warn(message, values);
    System.exit(status);
}
