# What was collected stays: /var/lib/sextant is removed by hand.
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload || :
  if [ "$1" -ge 1 ]; then
    systemctl try-restart sextant.service || :
  fi
fi
