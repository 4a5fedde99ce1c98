# Builds what a command over the local stack needs, if anything changed since the last time, and starts it.
# To be sourced by a script in bin/ that has set `root`, `name` (its own), `main_class`, `catalog` and `services` (the modules
# under testbed/ that the catalog needs, an array). JAVA_HOME picks the JDK (17 or newer).

class_path="$root/testbed/local-stack/target/run.classpath"
worker_class_path="$root/testbed/connect-worker/target/worker.classpath"
modules=(ledger-model tula-source-connector iceberg-exactly-once-sink smt lake-tools
  testbed/reference-node testbed/connect-worker testbed/local-stack)
modules+=(${services[@]+"${services[@]}"})
stamp="$root/.local-stack/built"
[[ "$catalog" == sqlite ]] || stamp="$stamp-$catalog"

fail() {
  echo "$name: $*" >&2
  exit 1
}

# Maven needs a compiler, and attaching to the worker for its metrics a JDK's tools: a JRE is not enough.
if [[ -n "${JAVA_HOME:-}" ]]; then
  java="$JAVA_HOME/bin/java" javac="$JAVA_HOME/bin/javac"
else
  java=java javac=javac
fi
command -v "$java" >/dev/null 2>&1 && command -v "$javac" >/dev/null 2>&1 ||
  fail "needs a JDK, version 17 or newer: put java and javac on the PATH, or set JAVA_HOME"
java_version="$("$javac" -version 2>&1)"
java_major="$(sed -E 's/^javac ([0-9]+).*$/\1/' <<<"$java_version")"
[[ "$java_major" =~ ^[0-9]+$ && "$java_major" -ge 17 ]] ||
  fail "needs a JDK, version 17 or newer, and found: $java_version"

# The sources, and what the build is made of. A directory's own time tells of files that are gone.
up_to_date() {
  local module changed
  [[ -f "$stamp" && -f "$class_path" && -f "$worker_class_path" ]] || return 1
  for module in tula-source-connector iceberg-exactly-once-sink smt; do
    compgen -G "$root/$module/target/*-plugin.zip" >/dev/null || return 1
  done
  for module in ${services[@]+"${services[@]}"}; do
    [[ -f "$root/$module/target/service.classpath" ]] || return 1
  done
  changed="$(cd "$root" && find pom.xml build .mvn LICENSE \
    "${modules[@]/%//pom.xml}" "${modules[@]/%//src/main}" \
    -newer "$stamp" -print -quit 2>/dev/null)"
  [[ -z "$changed" ]]
}

build() {
  command -v mvn >/dev/null 2>&1 ||
    fail "needs Apache Maven 3.8 or newer to build: put mvn on the PATH"
  mkdir -p "$root/.local-stack"
  echo "Building the plugins and the local stack (with an empty Maven repository it downloads some 300 MB first) …"
  touch "$stamp.new"
  # -am brings the plugins, the reference node and the worker's class path: local-stack depends on them.
  local projects
  projects="$(IFS=,; echo "testbed/local-stack${services[*]:+,${services[*]}}")"
  (cd "$root" && mvn -B -q -ntp -Drun-local -pl "$projects" -am package) >&2 ||
    fail "the build failed; what Maven printed above says why"
  mv "$stamp.new" "$stamp"
}

up_to_date || build

exec "$java" -Xms256m -Xmx2g -XX:+UseSerialGC -Dtula.root="$root" -Dfile.encoding=UTF-8 \
  -cp "$root/testbed/local-stack/target/classes:$(cat "$class_path")" \
  "$main_class" "$@"
