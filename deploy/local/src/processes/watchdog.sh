#!/bin/sh
# Ends the processes it was told about when the process that told it is gone, however that one ended.
# Reads lines from standard input: "add PID SIGNAL", "remove PID", "done". The end of input without "done" means that
# the teller died: every process still known gets its signal, the last added first, and after ten seconds KILL.
known=
while read -r verb pid signal; do
  case $verb in
    add) known="$pid:$signal $known" ;;
    remove)
      rest=
      for entry in $known; do [ "${entry%%:*}" = "$pid" ] || rest="$rest$entry "; done
      known=$rest
      ;;
    done) exit 0 ;;
  esac
done

for entry in $known; do kill -s "${entry##*:}" "${entry%%:*}" 2>/dev/null; done
tries=0
while [ "$tries" -lt 100 ]; do
  alive=
  for entry in $known; do kill -0 "${entry%%:*}" 2>/dev/null && alive="$alive ${entry%%:*}"; done
  [ -n "$alive" ] || exit 0
  sleep 0.1
  tries=$((tries + 1))
done
for pid in $alive; do kill -s KILL "$pid" 2>/dev/null; done
