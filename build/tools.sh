# shellcheck shell=bash
# Sourced by what bin/ starts: finds Java and Maven, and builds what changed since the last time. Wants `root`, the checkout,
# and for a build `stamp`, a file that is as old as the last one. JAVA_HOME picks the JDK (17 or newer).

java="${JAVA_HOME:+$JAVA_HOME/bin/}java"
javac="${JAVA_HOME:+$JAVA_HOME/bin/}javac"

fail() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

need_java() {
  command -v "$java" >/dev/null 2>&1 ||
    fail "needs Java 17 or newer: put java on the PATH, or set JAVA_HOME"
}

# Maven needs a compiler, and attaching to a worker for its metrics a JDK's tools: a JRE is not enough.
need_jdk() {
  local version major
  command -v "$java" >/dev/null 2>&1 && command -v "$javac" >/dev/null 2>&1 ||
    fail "needs a JDK, version 17 or newer: put java and javac on the PATH, or set JAVA_HOME"
  version="$("$javac" -version 2>&1)"
  major="$(sed -E 's/^javac ([0-9]+).*$/\1/' <<<"$version")"
  [[ "$major" =~ ^[0-9]+$ && "$major" -ge 17 ]] ||
    fail "needs a JDK, version 17 or newer, and found: $version"
}

# unchanged PATHS...: nothing there is newer than the last build. A directory's own time tells of files that are gone.
unchanged() {
  local changed
  [[ -f "$stamp" ]] || return 1
  changed="$(cd "$root" && find "$@" -newer "$stamp" -print -quit 2>/dev/null)"
  [[ -z "$changed" ]]
}

# build WHAT ARGUMENTS...: says what it builds, and has Maven do it.
build() {
  command -v mvn >/dev/null 2>&1 ||
    fail "needs Apache Maven 3.8 or newer to build: put mvn on the PATH"
  mkdir -p "$root/.local-stack"
  echo "Building $1 ..." >&2
  touch "$stamp.new"
  (cd "$root" && mvn -B -q -ntp "${@:2}") >&2 ||
    fail "the build failed; what Maven printed above says why"
  mv "$stamp.new" "$stamp"
}
