# 0: the package is removed, not upgraded.
if [ "$1" = 0 ] && [ -d /run/systemd/system ]; then
  systemctl disable --now sextant.service || :
fi
