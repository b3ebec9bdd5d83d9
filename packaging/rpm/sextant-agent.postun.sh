# What was collected stays: /var/lib/sextant-agent is removed by hand.
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload || :
  if [ "$1" -ge 1 ]; then
    systemctl try-restart sextant-agent.service || :
  fi
fi
