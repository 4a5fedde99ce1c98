# shellcheck shell=bash
# Sourced by bin/simulate and bin/mutants: run_engine_tests CLASS ARGUMENTS... builds the tests of sink and source,
# if anything changed since the last time, and runs a class of the sink's. JAVA_HOME picks the JDK (17 or newer).

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
module="$root/iceberg-exactly-once-sink"
stamp="$root/.local-stack/built-engine-tests"
class_path="$module/target/test.classpath"
modules=(ledger-model tula-source-connector iceberg-exactly-once-sink)

fail() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

up_to_date() {
  local changed
  [[ -f "$stamp" && -f "$class_path" ]] || return 1
  changed="$(cd "$root" && find pom.xml .mvn \
    "${modules[@]/%//pom.xml}" "${modules[@]/%//src}" \
    -newer "$stamp" -print -quit 2>/dev/null)"
  [[ -z "$changed" ]]
}

build() {
  command -v mvn >/dev/null 2>&1 ||
    fail "needs Apache Maven 3.8 or newer to build: put mvn on the PATH"
  mkdir -p "$root/.local-stack"
  echo "Building the engine and its tests ..." >&2
  touch "$stamp.new"
  # MAVEN_ARGS is Maven 3.9's own variable; older ones are given it here. Unquoted on purpose: several options.
  # shellcheck disable=SC2086
  (cd "$root" && mvn -B -q -ntp ${MAVEN_ARGS:-} -Dquick -Dmdep.outputFile=target/test.classpath \
    -pl iceberg-exactly-once-sink,tula-source-connector -am test-compile dependency:build-classpath) >&2 ||
    fail "the build failed; what Maven printed above says why"
  mv "$stamp.new" "$stamp"
}

run_engine_tests() {
  local java=java
  [[ -z "${JAVA_HOME:-}" ]] || java="$JAVA_HOME/bin/java"
  command -v "$java" >/dev/null 2>&1 ||
    fail "needs a JDK, version 17 or newer: put java on the PATH, or set JAVA_HOME"
  up_to_date || build
  cd "$module"
  exec "$java" -Xmx3g -XX:+UseParallelGC -Djava.net.preferIPv4Stack=true -Dfile.encoding=UTF-8 \
    -Dlog4j2.configurationFile="$root/build/log4j2-test.properties" -Dtula.test.log.level=off \
    -cp "target/test-classes:target/classes:$(cat "$class_path")" "$@"
}
