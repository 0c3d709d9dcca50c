#!/bin/sh
# expect.sh PYTHON MODULE STATUS TEXT COMMAND...: runs a command that needs a module of a Python, and
# expects its exit status and, unless it is -, a text in its output. 77: skipped, by name.
set -u
python=$1 module=$2 status=$3 text=$4
shift 4
if ! "$python" -c "import $module" 2>/dev/null; then
  echo "SKIPPED: $python has no $module"
  exit 77
fi
output=$("$@" 2>&1)
actual=$?
printf '%s\n' "$output"
if [ "$actual" -ne "$status" ]; then
  echo "exit status $actual instead of $status"
  exit 1
fi
[ "$text" = - ] || printf '%s\n' "$output" | grep -qF -- "$text"
