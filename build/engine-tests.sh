# shellcheck shell=bash
# Sourced by bin/simulate and bin/mutants: run_engine_tests CLASS ARGUMENTS... builds the tests of sink and source,
# if anything changed since the last time, and runs a class of the sink's. JAVA_HOME picks the JDK (17 or newer).

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
module="$root/iceberg-exactly-once-sink"
stamp="$root/.local-stack/built-engine-tests"
class_path="$module/target/test.classpath"
modules=(ledger-model tula-source-connector iceberg-exactly-once-sink)

source "$root/build/tools.sh"

up_to_date() {
  [[ -f "$class_path" ]] && unchanged pom.xml .mvn "${modules[@]/%//pom.xml}" "${modules[@]/%//src}"
}

build_engine_tests() {
  # MAVEN_ARGS is Maven 3.9's own variable; older ones are given it here. Unquoted on purpose: several options.
  # shellcheck disable=SC2086
  build "the engine and its tests" ${MAVEN_ARGS:-} -Dquick -Dmdep.outputFile=target/test.classpath \
    -pl iceberg-exactly-once-sink,tula-source-connector -am test-compile dependency:build-classpath
}

run_engine_tests() {
  need_jdk
  up_to_date || build_engine_tests
  cd "$module"
  exec "$java" -Xmx3g -XX:+UseParallelGC -Djava.net.preferIPv4Stack=true -Dfile.encoding=UTF-8 \
    -Dlog4j2.configurationFile="$root/build/log4j2-test.properties" -Dtula.test.log.level=off \
    -cp "target/test-classes:target/classes:$(cat "$class_path")" "$@"
}
