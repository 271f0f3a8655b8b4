#!/bin/sh
# Ends the registered processes when the process that registered them has died.
# Reads lines from standard input: "add PID SIGNAL", "remove PID", "done". End of input without "done" means that it died:
# every registered process gets its signal, the last one first, and KILL after ten seconds.
registered=
while read -r verb pid signal; do
  case $verb in
    add) registered="$pid:$signal $registered" ;;
    remove)
      rest=
      for entry in $registered; do [ "${entry%%:*}" = "$pid" ] || rest="$rest$entry "; done
      registered=$rest
      ;;
    done) exit 0 ;;
  esac
done

for entry in $registered; do kill -s "${entry##*:}" "${entry%%:*}" 2>/dev/null; done
tries=0
while [ "$tries" -lt 100 ]; do
  alive=
  for entry in $registered; do kill -0 "${entry%%:*}" 2>/dev/null && alive="$alive ${entry%%:*}"; done
  [ -n "$alive" ] || exit 0
  sleep 0.1
  tries=$((tries + 1))
done
for pid in $alive; do kill -s KILL "$pid" 2>/dev/null; done
