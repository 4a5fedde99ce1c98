# shellcheck shell=bash
# Builds what a command over the local stack needs, if anything changed since the last time, and starts it.
# To be sourced by a script in bin/ that has set `root`, `main_class`, `catalog` and `services` (the modules under testbed/
# that the catalog needs, an array). JAVA_HOME picks the JDK (17 or newer).

class_path="$root/testbed/local-stack/target/run.classpath"
worker_class_path="$root/testbed/connect-worker/target/worker.classpath"
modules=(ledger-model tula-source-connector iceberg-exactly-once-sink smt lake-tools
  testbed/reference-node testbed/connect-worker testbed/local-stack)
modules+=(${services[@]+"${services[@]}"})
stamp="$root/.local-stack/built"
[[ "$catalog" == sqlite ]] || stamp="$stamp-$catalog"

source "$root/build/tools.sh"

# The sources, and what the build is made of.
up_to_date() {
  local module
  [[ -f "$class_path" && -f "$worker_class_path" ]] || return 1
  for module in tula-source-connector iceberg-exactly-once-sink smt; do
    compgen -G "$root/$module/target/*-plugin.zip" >/dev/null || return 1
  done
  for module in ${services[@]+"${services[@]}"}; do
    [[ -f "$root/$module/target/service.classpath" ]] || return 1
  done
  unchanged pom.xml build .mvn LICENSE "${modules[@]/%//pom.xml}" "${modules[@]/%//src/main}"
}

# -am brings the plugins, the reference node and the worker's class path: local-stack depends on them.
build_local_stack() {
  local projects
  projects="$(IFS=,; echo "testbed/local-stack${services[*]:+,${services[*]}}")"
  build "the plugins and the local stack (with an empty Maven repository it downloads some 300 MB first)" \
    -Drun-local -pl "$projects" -am package
}

need_jdk
up_to_date || build_local_stack

exec "$java" -Xms256m -Xmx2g -XX:+UseSerialGC -Dtula.root="$root" -Dfile.encoding=UTF-8 \
  -cp "$root/testbed/local-stack/target/classes:$(cat "$class_path")" \
  "$main_class" "$@"
